import { describe, expect, expectTypeOf, it } from 'vitest';
import { silentLogger } from './base/logger.ts';
import type { Cache } from './cache.ts';
import type { Clock } from './clock.ts';
import { definePlugin, type Plugin } from './define-plugin.ts';
import { createServiceRef, services } from './services.ts';
import type { Storage } from './storage.ts';

const cache: Cache = { get: async () => undefined, set: async () => {}, delete: async () => {} };
const base = { name: 'acme', kind: 'cache', version: 1 } as const;

// The types below are the test: `tsc -b` fails if one is wrong, or if an expected error does not occur.
describe('definePlugin', () => {
  it('the type of the config is inferred from the schema', () => {
    const plugin = definePlugin({
      ...base,
      config: {
        properties: {
          apiKey: { type: 'string' },
          baseUrl: { type: 'string', default: 'https://acme.test' },
          region: { type: 'string' },
          mode: { type: 'string', enum: ['fast', 'careful'], default: 'fast' },
          retries: { type: 'integer', default: 2 },
          on: { type: 'boolean' },
          hosts: { type: 'array', items: { type: 'string' }, default: [] },
          account: {
            type: 'object',
            properties: { id: { type: 'integer' }, label: { type: 'string' } },
            required: ['id'],
            default: {},
          },
          headers: { type: 'object', additionalProperties: { type: 'string' }, default: {} },
        },
        required: ['apiKey'],
      },
      create({ config }) {
        expectTypeOf(config.apiKey).toEqualTypeOf<string>();
        expectTypeOf(config.baseUrl).toEqualTypeOf<string>();
        expectTypeOf(config.region).toEqualTypeOf<string | undefined>();
        expectTypeOf(config.mode).toEqualTypeOf<'fast' | 'careful'>();
        expectTypeOf(config.retries).toEqualTypeOf<number>();
        expectTypeOf(config.on).toEqualTypeOf<boolean | undefined>();
        expectTypeOf(config.hosts).toEqualTypeOf<readonly string[]>();
        expectTypeOf(config.account.id).toEqualTypeOf<number>();
        expectTypeOf(config.account.label).toEqualTypeOf<string | undefined>();
        expectTypeOf(config.headers).toEqualTypeOf<Readonly<Record<string, string>>>();
        // @ts-expect-error there is no such option
        void config.apiKye;
        // @ts-expect-error config is read-only
        config.retries = 3;
        return cache;
      },
    });
    expectTypeOf(plugin).toEqualTypeOf<Plugin<'cache'>>();
    expect(plugin.$$type).toBe('patchbay.plugin');
  });

  it('the types of dependencies are inferred from their refs', () => {
    const greeter = createServiceRef<{ greet(name: string): string }>('greeter');
    const plugin = definePlugin({
      ...base,
      config: { properties: {} },
      deps: { clock: services.clock, store: services.storage, greeter },
      create({ deps, logger, mount, directory }) {
        expectTypeOf(deps.clock).toEqualTypeOf<Clock>();
        expectTypeOf(deps.store).toEqualTypeOf<Storage>();
        expectTypeOf(deps.greeter).toEqualTypeOf<{ greet(name: string): string }>();
        expectTypeOf(mount).toEqualTypeOf<string>();
        expectTypeOf(directory).toEqualTypeOf<string>();
        // @ts-expect-error undeclared dependencies do not exist
        void deps.queue;
        logger.info('created');
        return cache;
      },
    });
    // A plugin is tested without a host: by handing it plain objects.
    const deps = { clock: { now: () => 0, monotonic: () => 0 }, store: {}, greeter: {} };
    const instance = plugin.definition.create({
      config: {},
      deps,
      logger: silentLogger,
      mount: 'cache',
      directory: '/',
    });
    expect(instance).toBe(cache);
  });

  it('a plugin that does not fit its kind is a type error', () => {
    definePlugin({
      ...base,
      config: { properties: {} },
      // @ts-expect-error a cache has three methods
      create: () => ({ get: async () => undefined }),
    });
    // @ts-expect-error create is synchronous
    definePlugin({ ...base, config: { properties: {} }, create: async () => cache });
    // @ts-expect-error there is no such kind
    definePlugin({ ...base, kind: 'cahce', config: { properties: {} }, create: () => cache });
    // @ts-expect-error an option has one of six types
    definePlugin({ ...base, config: { properties: { a: { type: 'text' } } }, create: () => cache });
    // @ts-expect-error a schema for the options is required
    definePlugin({ ...base, create: () => cache });
    expectTypeOf<Plugin<'cache'>>().not.toMatchTypeOf<Plugin<'storage'>>();
  });
});
