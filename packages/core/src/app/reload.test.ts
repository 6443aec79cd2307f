import { describe, expect, it } from 'vitest';
import { definePlugin } from '../contracts/define-plugin.ts';
import type { Provider } from '../contracts/provider.ts';
import { tenantId } from '../contracts/tenant.ts';
import type { AppConfig } from './app-config.ts';
import { createApp } from './create-app.ts';
import { storagePlugin } from './fixtures/test-plugins.ts';
import { createRequestContext } from './request-context.ts';

/** A provider that answers with its key, and writes down its coming and going. */
function answering(events: string[], gate?: Promise<void>) {
  return definePlugin({
    name: 'provider-answering',
    kind: 'provider',
    version: 1,
    config: { properties: { key: { type: 'string', default: '' }, fails: { type: 'boolean', default: false } } },
    create({ config, mount }): Provider {
      return {
        async start() {
          events.push(`start ${mount} ${config.key}`);
          if (config.fails) throw new Error('no such host');
        },
        async stop() {
          events.push(`stop ${mount} ${config.key}`);
        },
        models: async () => [{ name: 'm', capabilities: ['chat'], pricing: { input: 0, output: 0 } }],
        async chat() {
          await gate;
          const usage = { uncachedInputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1 };
          const content = config.key;
          return { content, toolCalls: [], finishReason: 'stop', usage: { ...usage, reasoningTokens: 0 } };
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
  const app = await createApp(config({ a: { key: 'one' } }));
  const ask = async (model = 'a/m') => {
    const caller = { id: 'test', kind: 'service', tenant: tenantId('default'), scopes: ['*'] } as const;
    const context = createRequestContext({ app, caller, requestId: 'req_1' });
    try {
      return (await app.gateway.generate({ model, prompt: 'hello' }, context)).text;
    } finally {
      context.close();
    }
  };
  return { app, events, config, ask };
}

describe('reload', () => {
  it('asks a provider with its new key, and leaves the others alone', async () => {
    const { app, events, config, ask } = await setUp();
    await app.reload(config({ a: { key: 'one' }, b: { key: 'kept' } }));
    const report = await app.reload(config({ a: { key: 'two' }, b: { key: 'kept' } }));
    expect(report).toEqual({ changed: ['providers.a'], needsRestart: [] });
    expect([await ask(), await ask('b/m')]).toEqual(['two', 'kept']);
    await app.stop();
    expect(events.filter((event) => event.includes('providers.b'))).toEqual([
      'start providers.b kept',
      'stop providers.b kept',
    ]);
  });

  it('lets requests under way end on what they began with, and stops that only then', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { app, events, config, ask } = await setUp(promise);
    const first = ask();
    await app.reload(config({ a: { key: 'two' } }));
    const second = ask();
    expect(events).not.toContain('stop providers.a one');
    resolve();
    expect([await first, await second]).toEqual(['one', 'two']);
    await expect.poll(() => events).toContain('stop providers.a one');
    expect(events).not.toContain('stop providers.a two');
    await app.stop();
  });

  it('serves those who keep a service of the app', async () => {
    const { app, config } = await setUp();
    const { gateway } = app;
    const tenants = { '*': { models: { deny: ['a/m'] } } };
    await app.reload(config({ a: { key: 'two' }, b: { key: 'new' } }, { tenants }));
    const caller = { id: 'test', kind: 'service', tenant: tenantId('default'), scopes: ['*'] } as const;
    const context = createRequestContext({ app, caller, requestId: 'req_1' });
    expect(gateway.models(context).map(({ id }) => id)).toEqual(['b/m']);
    expect(app.policyOf(tenantId('default'))).toEqual(tenants['*']);
    context.close();
    await app.stop();
  });

  it('keeps everything where a new part does not start, and stops what had started', async () => {
    const { app, events, config, ask } = await setUp();
    const wrong = config({ a: { key: 'two' }, b: { key: 'new', fails: true } });
    await expect(app.reload(wrong)).rejects.toMatchObject({ code: 'plugin_start_failed' });
    expect(await ask()).toBe('one');
    expect(events).toEqual([
      'start providers.a one',
      'start providers.a two',
      'start providers.b new',
      'stop providers.a two',
    ]);
    await expect(app.reload({ ...wrong, unknown: 1 } as AppConfig)).rejects.toMatchObject({ code: 'config_invalid' });
    await app.reload(config({ a: { key: 'two' } }));
    expect(await ask()).toBe('two');
    await app.stop();
  });

  it('names what takes a restart, and leaves it as it was', async () => {
    const { app, config } = await setUp();
    const storage = { use: storagePlugin([]) };
    const executions = { timeoutMs: 5_000, keepDays: 3 };
    const secret = 'y'.repeat(32);
    const report = await app.reload(
      config({ a: { key: 'one' } }, { storage, executions, secret, webhooks: { keepDays: 9 } }),
    );
    expect(report).toEqual({
      changed: ['executions.timeoutMs'],
      needsRestart: ['storage', 'webhooks', 'secret', 'executions.keepDays'],
    });
    await app.stop();
  });

  it('refuses once the app stops, and stops what older requests still use', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { app, events, config, ask } = await setUp(promise);
    const first = ask();
    await app.reload(config({}));
    const stopping = app.stop();
    await expect(app.reload(config({ a: { key: 'two' } }))).rejects.toMatchObject({ code: 'shutting_down' });
    resolve();
    expect(await first).toBe('one');
    await stopping;
    expect(events).toEqual(['start providers.a one', 'stop providers.a one']);
  });
});
