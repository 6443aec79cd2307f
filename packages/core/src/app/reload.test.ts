import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { definePlugin } from '@patchbay/contracts/define-plugin';
import type { Provider } from '@patchbay/contracts/provider';
import { providerError } from '@patchbay/contracts/provider-error';
import { tenantId } from '@patchbay/contracts/tenant';
import { describe, expect, it } from 'vitest';
import type { AppConfig } from '../config/app-config.ts';
import { createApp } from './create-app.ts';
import { storagePlugin } from './fixtures/test-plugins.ts';
import { createRequestContext } from './request-context.ts';

/** A provider that answers with its key, and records its start and stop. */
function answering(events: string[], gate?: Promise<void>) {
  return definePlugin({
    name: 'provider-answering',
    kind: 'provider',
    version: 1,
    config: {
      properties: {
        key: { type: 'string', default: '' },
        fails: { type: 'boolean', default: false },
        refuses: { type: 'boolean', default: false },
        hangs: { type: 'string', default: '' },
      },
    },
    create({ config, mount }): Provider {
      return {
        async start() {
          events.push(`start ${mount} ${config.key}`);
          if (config.fails) throw new Error('no such host');
          if (config.hangs === 'start') await new Promise(() => {});
        },
        async stop() {
          events.push(`stop ${mount} ${config.key}`);
        },
        async models() {
          if (config.hangs === 'models') await new Promise(() => {});
          return [{ name: 'm', capabilities: ['chat'], pricing: { input: 0, output: 0 } }];
        },
        async chat() {
          if (config.refuses) throw providerError('auth', 'the key is not known');
          await gate;
          const usage = { uncachedInputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1 };
          const content = config.key;
          return { content, finishReason: 'stop', usage: { ...usage, reasoningTokens: 0 } };
        },
      };
    },
  });
}

async function setUp(gate?: Promise<void>) {
  const events: string[] = [];
  const plugin = answering(events, gate);
  const config = (providers: Readonly<Record<string, object>>, rest: Partial<AppConfig> = {}): AppConfig => ({
    patchbay: 1,
    secret: 'x'.repeat(32),
    providers: Object.fromEntries(
      Object.entries(providers).map(([name, options]) => [name, { use: plugin, with: options }]),
    ),
    ...rest,
  });
  const log: object[] = [];
  const ignore = () => undefined;
  const warn = (message: string, fields?: object) => void log.push({ message, ...fields });
  const logger = { debug: ignore, info: ignore, warn, error: ignore };
  const app = await createApp(config({ a: { key: 'one' } }), { logger });
  const caller = { id: 'test', kind: 'service', tenant: tenantId('default'), scopes: ['*'] } as const;
  const states = async () => {
    const context = createRequestContext({ app, caller, requestId: 'req_2' });
    try {
      return (await app.services.gateway.explain({}, context)).map(({ id, state }) => `${id} ${state}`);
    } finally {
      context.close();
    }
  };
  const ask = async (model = 'a/m') => {
    const context = createRequestContext({ app, caller, requestId: 'req_1' });
    try {
      return (await app.services.gateway.generate({ model, prompt: 'hello' }, context)).text;
    } finally {
      context.close();
    }
  };
  return { app, events, config, ask, states, log };
}

describe('reload', () => {
  it('a provider is called with its new key, and the others are left untouched', async () => {
    const { app, events, config, ask } = await setUp();
    await app.host.reload(config({ a: { key: 'one' }, b: { key: 'kept' } }));
    const report = await app.host.reload(config({ a: { key: 'two' }, b: { key: 'kept' } }));
    expect(report).toEqual({ changed: ['providers.a.with.key'], needsRestart: [] });
    expect([await ask(), await ask('b/m')]).toEqual(['two', 'kept']);
    await app.host.stop();
    expect(events.filter((event) => event.includes('providers.b'))).toEqual([
      'start providers.b kept',
      'stop providers.b kept',
    ]);
  });

  it('lets requests in progress finish on the services they began with, and only then stops these', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { app, events, config, ask } = await setUp(promise);
    const first = ask();
    await app.host.reload(config({ a: { key: 'two' } }));
    const second = ask();
    expect(events).not.toContain('stop providers.a one');
    resolve();
    expect([await first, await second]).toEqual(['one', 'two']);
    await expect.poll(() => events).toContain('stop providers.a one');
    expect(events).not.toContain('stop providers.a two');
    await app.host.stop();
  });

  it('a service that a host holds on to still works after a reload', async () => {
    const { app, config } = await setUp();
    const {
      services: { gateway },
    } = app;
    const tenants = { '*': { models: { deny: ['a/m'] } } };
    await app.host.reload(config({ a: { key: 'two' }, b: { key: 'new' } }, { tenants }));
    const caller = { id: 'test', kind: 'service', tenant: tenantId('default'), scopes: ['*'] } as const;
    const context = createRequestContext({ app, caller, requestId: 'req_1' });
    expect(gateway.models(context).map(({ id }) => id)).toEqual(['b/m']);
    expect(app.services.policyOf(tenantId('default'))).toEqual(tenants['*']);
    context.close();
    await app.host.stop();
  });

  it('an alias points to another model after a reload, and the log names a model that no provider has', async () => {
    const { app, config, ask, log } = await setUp();
    const providers = { a: { key: 'one' }, b: { key: 'two' } };
    const aliasOf = (model: string, ...fallbacks: string[]) => ({
      gateway: { aliases: { fast: { model, fallbacks } } },
    });
    await app.host.reload(config(providers, aliasOf('a/m')));
    expect(await ask('fast')).toBe('one');
    expect(await app.host.reload(config(providers, aliasOf('b/m', 'a/none', 'auto')))).toEqual({
      changed: ['gateway.aliases.fast.model', 'gateway.aliases.fast.fallbacks'],
      needsRestart: [],
    });
    const missing = { message: 'an alias stands for a model that no provider has', alias: 'fast', model: 'a/none' };
    expect(log.slice(1)).toEqual([missing]);
    await app.host.stop();
  });

  it('a reload with a plugin that does not start changes nothing and stops what had started', async () => {
    const { app, events, config, ask } = await setUp();
    const wrong = config({ a: { key: 'two' }, b: { key: 'new', fails: true } });
    await expect(app.host.reload(wrong)).rejects.toMatchObject({ code: 'plugin_start_failed' });
    expect(await ask()).toBe('one');
    expect(events).toEqual([
      'start providers.a one',
      'start providers.a two',
      'start providers.b new',
      'stop providers.a two',
    ]);
    await expect(app.host.reload({ ...wrong, unknown: 1 } as AppConfig)).rejects.toMatchObject({
      code: 'config_invalid',
    });
    await app.host.reload(config({ a: { key: 'two' } }));
    expect(await ask()).toBe('two');
    await app.host.stop();
  });

  it('names options that need a restart, leaves them as they were, and names them until they are reverted', async () => {
    const { app, config } = await setUp();
    const storage = { use: storagePlugin([]) };
    const executions = { timeoutMs: 5_000, leaseMs: 30_000 };
    const secret = 'y'.repeat(32);
    const wanted = { storage, executions, secret, autoMigrate: false };
    const needsRestart = ['storage.use', 'executions.leaseMs', 'secret', 'autoMigrate'];
    const first = await app.host.reload(config({ a: { key: 'one' } }, wanted));
    expect(first).toEqual({ changed: ['executions.timeoutMs'], needsRestart });
    const second = await app.host.reload(config({ a: { key: 'one' } }, { ...wanted, webhooks: { keepDays: 9 } }));
    expect(second).toEqual({ changed: ['webhooks.keepDays'], needsRestart });
    expect(await app.host.reload(config({ a: { key: 'one' } }))).toEqual({
      changed: ['executions.timeoutMs', 'webhooks.keepDays'],
      needsRestart: [],
    });
    await app.host.stop();
  });

  it('names additions, removals and single options, but no values', async () => {
    const { app, config } = await setUp();
    const limits = { key: { all: { burst: 7 } } };
    const tenants = { acme: { models: { deny: ['a/m'] } } };
    const report = await app.host.reload(config({ b: { key: 'new' } }, { limits, tenants }));
    expect(report.changed).toEqual(['providers.b', 'providers.a', 'limits.key.all.burst', 'tenants']);
    const other = { acme: { models: { deny: ['b/m'] } } };
    const again = await app.host.reload(config({ b: { key: 'new' } }, { limits, tenants: other }));
    expect(again.changed).toEqual(['tenants.acme.models.deny']);
    await app.host.stop();
  });

  it('a provider with a new key starts with a closed circuit, and an unchanged one keeps its circuit open', async () => {
    const { app, config, ask, states } = await setUp();
    await app.host.reload(config({ a: { refuses: true }, b: { refuses: true } }));
    await expect(ask('a/m')).rejects.toMatchObject({ code: 'provider_auth_failed' });
    await expect(ask('b/m')).rejects.toMatchObject({ code: 'provider_auth_failed' });
    expect(await states()).toEqual(['a/m open', 'b/m open']);
    await app.host.reload(config({ a: { key: 'good' }, b: { refuses: true } }));
    expect(await states()).toEqual(['a/m closed', 'b/m open']);
    // Until then, an automatic choice would have called either only as a last resort.
    expect(await ask('auto')).toBe('good');
    await app.host.stop();
  });

  it('replaced services are garbage collected', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const made: WeakRef<object>[] = [];
    const { app, config } = await setUp();
    const plugin = definePlugin({
      name: 'provider-remembered',
      kind: 'provider',
      version: 1,
      config: { properties: { key: { type: 'string' } } },
      create(): Provider {
        const instance: Provider = { models: async () => [], chat: () => Promise.reject(new Error('no model')) };
        made.push(new WeakRef(instance));
        return instance;
      },
    });
    for (const key of ['one', 'two', 'three', 'four']) {
      await app.host.reload(config({ a: { key } }, { providers: { c: { use: plugin, with: { key } } } }));
    }
    const alive = () => {
      collect();
      return made.filter((each) => each.deref() !== undefined).length;
    };
    // The services in use, and at most those that they were compared with.
    await expect.poll(alive).toBeLessThanOrEqual(2);
    await app.host.stop();
  });

  it('times out on a plugin that hangs while it starts or lists its models, and changes nothing', async () => {
    const { app, events, config, ask } = await setUp();
    for (const hangs of ['start', 'models']) {
      const wrong = config({ a: { key: 'two' }, b: { hangs } }, { startTimeoutMs: 50 });
      await expect(app.host.reload(wrong)).rejects.toMatchObject({ code: 'plugin_start_failed' });
    }
    expect(await ask()).toBe('one');
    expect(events.filter((event) => event === 'stop providers.a two')).toHaveLength(2);
    await app.host.stop();
  });

  it('stopping the app aborts a reload that hangs', async () => {
    const { app, events, config } = await setUp();
    const reloading = app.host.reload(
      config({ a: { key: 'two' }, b: { hangs: 'start' } }, { startTimeoutMs: 3_600_000 }),
    );
    await expect.poll(() => events).toContain('start providers.b ');
    await app.host.stop();
    await expect(reloading).rejects.toMatchObject({ code: 'shutting_down' });
    expect(events).toContain('stop providers.a two');
  });

  it('is refused once the app stops, which also stops what older requests still use', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { app, events, config, ask } = await setUp(promise);
    const first = ask();
    await app.host.reload(config({}));
    const stopping = app.host.stop();
    await expect(app.host.reload(config({ a: { key: 'two' } }))).rejects.toMatchObject({ code: 'shutting_down' });
    resolve();
    expect(await first).toBe('one');
    await stopping;
    expect(events).toEqual(['start providers.a one', 'stop providers.a one']);
  });
});
