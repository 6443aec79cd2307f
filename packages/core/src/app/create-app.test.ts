import type { Logger } from '@patchbay/contracts/context';
import { definePlugin, type Plugin } from '@patchbay/contracts/define-plugin';
import { createServiceRef, services } from '@patchbay/contracts/services';
import { describe, expect, it, vi } from 'vitest';
import { createMemoryStorage } from '../built-in/memory-storage.ts';
import type { AppConfig } from '../config/app-config.ts';
import { createApp } from './create-app.ts';
import { providerPlugin, storagePlugin } from './fixtures/test-plugins.ts';
import { openOperator } from './open-operator.ts';

const secret = 'x'.repeat(32);

function recordingLogger() {
  const lines: string[] = [];
  const write = (message: string, fields?: object) => lines.push(`${message} ${JSON.stringify(fields ?? {})}`);
  const logger: Logger = { debug: write, info: write, warn: write, error: write };
  return { lines, logger };
}

const providers = (...names: readonly (readonly [string, Plugin<'provider'>])[]) =>
  Object.fromEntries(names.map(([name, use]) => [name, { use }]));

it('createApp refuses a Node that is too old before it looks at the config', async () => {
  vi.stubGlobal('process', { ...process, versions: { ...process.versions, node: '20.20.2' } });
  const starting = createApp({ patchbay: 2 } as unknown as AppConfig);
  vi.unstubAllGlobals();
  await expect(starting).rejects.toThrow('Node 20.20.2 is too old: 22.14 or newer is needed');
});

describe('createApp', () => {
  it('starts with nothing but the defaults', async () => {
    const { lines, logger } = recordingLogger();
    const app = await createApp({ patchbay: 1 }, { logger });
    const { status, parts } = await app.host.health();
    expect(status).toBe('ready');
    expect(parts).toEqual({
      storage: { status: 'pass' },
      cache: { status: 'pass' },
      queue: { status: 'pass' },
      telemetry: { status: 'pass' },
      secrets: { status: 'pass' },
      limits: { status: 'pass' },
    });
    await app.host.stop();
    expect(lines.join()).toContain('no storage is configured');
    expect(lines.join()).toContain('no secret and no secretFile is configured');
  });

  it('starts and migrates the storage, then starts the rest in order, and stops in reverse', async () => {
    const events: string[] = [];
    const plugin = providerPlugin(events);
    const app = await createApp({
      patchbay: 1,
      secret,
      providers: providers(['a', plugin], ['b', plugin]),
      storage: { use: storagePlugin(events) },
    });
    await app.host.stop();
    expect(events).toEqual([
      'start storage',
      'migrate',
      'start providers.a',
      'start providers.b',
      'stop providers.b',
      'stop providers.a',
      'stop storage',
    ]);
  });

  it('the dependencies of a plugin start before it', async () => {
    const events: string[] = [];
    const later = createServiceRef('provider:b');
    const app = await createApp({
      patchbay: 1,
      secret,
      providers: providers(['a', providerPlugin(events, {}, { later })], ['b', providerPlugin(events)]),
    });
    await app.host.stop();
    expect(events.slice(0, 2)).toEqual(['start providers.b', 'start providers.a']);
  });

  it('autoMigrate: false leaves the migration to the operator', async () => {
    const events: string[] = [];
    const config = { patchbay: 1, secret, autoMigrate: false, storage: { use: storagePlugin(events) } } as const;
    await (await createApp(config)).host.stop();
    expect(events).toEqual(['start storage', 'stop storage']);
  });

  it('autoMigrate: false refuses a storage with pending migrations, and says which command runs them', async () => {
    const storage = definePlugin({
      name: 'storage-old',
      kind: 'storage',
      version: 1,
      config: { properties: {} },
      create: () => ({ ...createMemoryStorage(), pendingMigrations: async () => ['First1', 'Second2'] }),
    });
    const config = { patchbay: 1, secret, storage: { use: storage } } as const;
    const refused = 'migrations are pending (2), and autoMigrate is false: run "patchbay migrate up"';
    await expect(createApp({ ...config, autoMigrate: false })).rejects.toThrow(refused);
    await expect(openOperator({ ...config, autoMigrate: false })).rejects.toThrow(refused);
    await (await createApp(config)).host.stop();
  });

  it('a plugin gets its dependencies, its folder, and a logger that names it', async () => {
    const { lines, logger } = recordingLogger();
    const cache = definePlugin({
      name: 'cache-test',
      kind: 'cache',
      version: 1,
      config: { properties: { size: { type: 'integer', default: 3 } } },
      deps: { clock: services.clock, log: services.logger, rootSecret: services.rootSecret },
      create({ config, deps, logger: bound, mount, directory }) {
        bound.info('created', { size: config.size, mount, directory, at: deps.clock.now() });
        deps.log.info(`derived ${deps.rootSecret.derive('test').length} bytes`);
        return { get: async () => undefined, set: async () => {}, delete: async () => {} };
      },
    });
    const clock = { now: () => 5, monotonic: () => 5 };
    const config = { patchbay: 1, secret, cache: { use: cache } } as const;
    const app = await createApp(config, { logger, clock, directory: '/srv' });
    await app.host.stop();
    expect(lines).toContain('created {"plugin":"cache","size":3,"mount":"cache","directory":"/srv","at":5}');
    expect(lines).toContain('derived 32 bytes {"plugin":"cache"}');
  });

  it('two apps in one process share nothing', async () => {
    const one = await createApp({ patchbay: 1, secret });
    const two = await createApp({ patchbay: 1, secret });
    expect(one.host.resolve(services.storage)).not.toBe(two.host.resolve(services.storage));
    await Promise.all([one.host.stop(), two.host.stop()]);
  });

  it('refuses everything that is wrong at once, before it starts anything', async () => {
    const events: string[] = [];
    const config = {
      patchbay: 1,
      secret: 'short',
      storage: { use: storagePlugin(events), with: { fiel: 'x' } },
      executor: { use: providerPlugin(events) },
      providers: { 'Open AI': { use: providerPlugin(events) }, future: { use: futureProvider } },
    } as unknown as AppConfig;
    const error = await createApp(config).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'config_invalid' });
    expect((error as Error).message.split('\n').sort()).toEqual([
      'executor.use provider-test is a plugin of kind "provider"; here belongs one of kind "executor"',
      'providers.future.use provider-future implements provider@3; this host supports provider@1: update Patchbay',
      'providers["Open AI"] is not a name: a to z, 0 to 9, "_" and "-", a letter or digit first',
      'secret must NOT have fewer than 32 characters',
      'storage.with.fiel is not an option of storage-test',
    ]);
    expect(events).toEqual([]);
  });

  it('the error has the code of the problem if there is only one', async () => {
    const config = { patchbay: 1, secret, providers: providers(['future', futureProvider]) } as const;
    await expect(createApp(config)).rejects.toMatchObject({ code: 'plugin_incompatible' });
    const missing = { patchbay: 1, secret, router: { use: 'no-such-package' } } as const;
    await expect(createApp(missing)).rejects.toMatchObject({ code: 'plugin_not_found' });
  });

  it('a missing service and a circular dependency are reported with the plugin that needs them', async () => {
    const needy = providerPlugin([], {}, { mail: createServiceRef<object>('mail') });
    await expect(createApp({ patchbay: 1, secret, providers: providers(['a', needy]) })).rejects.toMatchObject({
      code: 'config_invalid',
      message: 'no service provides "mail" (needed by provider:a)',
    });
    const circular = providerPlugin([], {}, { self: createServiceRef('provider:a') });
    await expect(createApp({ patchbay: 1, secret, providers: providers(['a', circular]) })).rejects.toMatchObject({
      code: 'plugin_incompatible',
      message: 'circular dependency: provider:a -> provider:a',
    });
  });

  it('the error names a plugin that cannot be created or creates something else', async () => {
    const create = (make: () => object) =>
      definePlugin({
        name: 'cache-test',
        kind: 'cache',
        version: 1,
        config: { properties: {} },
        create: make as never,
      });
    const start = (make: () => object) => createApp({ patchbay: 1, secret, cache: { use: create(make) } });
    const throwing = () => {
      throw new Error('no room');
    };
    await expect(start(throwing)).rejects.toThrow('cache (cache-test) could not be created: no room');
    await expect(start(() => ({ get() {} }))).rejects.toThrow(
      'cache (cache-test) is not a cache: the instance has no method set, delete',
    );
    await expect(start(async () => ({}))).rejects.toThrow('create returned a promise: connect in start instead');
  });

  it('stops the plugins that had started when another does not start', async () => {
    const events: string[] = [];
    const broken = providerPlugin(events, { start: () => Promise.reject(new Error('refused')) });
    const config = {
      patchbay: 1,
      secret,
      storage: { use: storagePlugin(events) },
      providers: providers(['a', providerPlugin(events)], ['b', broken], ['c', providerPlugin(events)]),
    } as const;
    await expect(createApp(config)).rejects.toMatchObject({
      code: 'plugin_start_failed',
      message: 'providers.b (provider-test) did not start: refused',
    });
    expect(events.slice(-3)).toEqual(['start providers.b', 'stop providers.a', 'stop storage']);
  });

  it('stops the storage when its migration fails', async () => {
    const events: string[] = [];
    const storage = storagePlugin(events, { migrate: () => Promise.reject(new Error('locked')) });
    await expect(createApp({ patchbay: 1, secret, storage: { use: storage } })).rejects.toThrow(
      'storage (storage-test) did not start: its migration failed: locked',
    );
    expect(events).toEqual(['start storage', 'migrate', 'stop storage']);
  });

  it('a plugin that hangs at start is abandoned, and stopped if it starts after all', async () => {
    const events: string[] = [];
    const late = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<void>();
    let signal: AbortSignal | undefined;
    const hanging = providerPlugin(events, {
      start(given) {
        signal = given;
        return late.promise;
      },
      stop: async () => stopped.resolve(),
    });
    const config = { patchbay: 1, secret, startTimeoutMs: 5, providers: providers(['a', hanging]) } as const;
    await expect(createApp(config)).rejects.toThrow(
      'providers.a (provider-test) did not start: no answer within 5 ms; if the machine is busy, raise startTimeoutMs',
    );
    expect(signal?.reason).toMatchObject({ name: 'TimeoutError' });
    expect(events).toEqual(['start providers.a']);
    late.resolve();
    await stopped.promise;
  });

  it('the app is degraded without an optional plugin that does not start', async () => {
    const { lines, logger } = recordingLogger();
    const broken = providerPlugin([], { start: () => Promise.reject(new Error('refused')) });
    const config = { patchbay: 1, secret, providers: { local: { use: broken, optional: true } } } as const;
    const app = await createApp(config, { logger });
    const { status, parts } = await app.host.health();
    expect(status).toBe('degraded');
    expect(parts['providers.local']).toEqual({ status: 'fail', detail: 'did not start' });
    expect(lines.join()).toContain('providers.local (provider-test) did not start: refused');
    await app.host.stop();
  });

  it('an authenticator that did not start is not called', async () => {
    const authenticator = (start: () => Promise<void>) =>
      definePlugin({
        name: 'auth-test',
        kind: 'authenticator',
        version: 1,
        config: { properties: {} },
        create: () => ({
          start,
          authenticate: async () => {
            throw new Error('asked');
          },
        }),
      });
    const broken = authenticator(() => Promise.reject(new Error('refused')));
    const app = await createApp({ patchbay: 1, secret, authenticators: { a: { use: broken, optional: true } } });
    await expect(app.services.authenticate({ token: 'x' })).rejects.toMatchObject({ code: 'invalid_token' });
    await app.host.stop();
  });

  it('a plugin that must announce a secret does not start where the host cannot show it', async () => {
    const announcing = definePlugin({
      name: 'cache-test',
      kind: 'cache',
      version: 1,
      config: { properties: {} },
      deps: { announce: services.announce },
      create: ({ deps }) => ({
        start: async () => deps.announce({ title: 'Key', value: 'k', hint: 'Keep it.' }),
        get: async () => undefined,
        set: async () => {},
        delete: async () => {},
      }),
    });
    const config = { patchbay: 1, secret, cache: { use: announcing } } as const;
    await expect(createApp(config)).rejects.toThrow('this host has nowhere to show a secret');
    const seen: unknown[] = [];
    await (await createApp(config, { announce: (notice) => seen.push(notice) })).host.stop();
    expect(seen).toEqual([{ title: 'Key', value: 'k', hint: 'Keep it.' }]);
  });
});

const futureProvider: Plugin<'provider'> = {
  $$type: 'patchbay.plugin',
  definition: { ...providerPlugin([]).definition, name: 'provider-future', version: 3 },
};
