import type { RequestContext } from '@patchbay/contracts/context';
import { definePlugin } from '@patchbay/contracts/define-plugin';
import type { ChatResult, ModelInfo, Usage } from '@patchbay/contracts/provider';
import { providerError } from '@patchbay/contracts/provider-error';
import { services } from '@patchbay/contracts/services';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../app/app.ts';
import { createApp } from '../app/create-app.ts';
import { contextOf } from '../functions/fixtures/function-parts.ts';
import { noUsage } from './usage-ledger.ts';

const range = { from: '2020-01-01T00:00:00.000Z', to: '2100-01-01T00:00:00.000Z' };
const cases = [
  ['no number', Number.NaN],
  ['a part of a token', 1.5],
  ['less than nothing', -1],
  ['more than there can be', Number.MAX_SAFE_INTEGER],
] as const;
let used: Usage;

/** A provider whose numbers are what the test says. */
const provider = definePlugin({
  name: 'test-counting-provider',
  kind: 'provider',
  version: 1,
  config: { properties: {} },
  create: () => ({
    // One that fails for each case: their breakers open.
    models: async () =>
      ['well', ...cases.map(([name]) => name)].flatMap((name): ModelInfo[] => [
        { name, capabilities: ['chat'], pricing: { input: 15, output: 75 } },
        { name: `vector ${name}`, capabilities: ['embeddings'], pricing: { input: 15, output: 0 } },
      ]),
    chat: async (): Promise<ChatResult> => ({ content: 'hi', finishReason: 'stop', usage: used }),
    async *stream() {
      yield { type: 'text' as const, text: 'hi' };
      yield { type: 'finish' as const, finishReason: 'stop' as const, usage: used };
    },
    embed: async () => ({ embeddings: [[1]], tokens: used.outputTokens }),
  }),
});

describe('a count from a provider', () => {
  let app: App;
  let context: RequestContext;
  beforeAll(async () => {
    app = await createApp({ patchbay: 1, providers: { p: { use: provider } } });
    context = contextOf('a');
  });
  afterAll(() => app.host.stop(0));

  const askAll = (name: string) => {
    const model = `p/${name}`;
    const stream = async () => {
      const { events } = await app.services.gateway.streamGenerate({ model, prompt: 'hello' }, context);
      for await (const _ of events);
    };
    return [
      app.services.gateway.generate({ model, prompt: 'hello' }, context),
      stream(),
      app.services.gateway.embed({ model: `p/vector ${name}`, text: 'hello' }, context),
    ];
  };

  it.each(cases)('%s: the response is refused, and other entries are still written', async (name, count) => {
    used = { ...noUsage, outputTokens: count };
    const { total: before } = await app.services.usage.report(range, context);
    const outcomes = await Promise.allSettled(askAll(name));
    expect(outcomes).toMatchObject(outcomes.map(() => ({ reason: { code: 'provider_bad_response' } })));
    used = { ...noUsage, uncachedInputTokens: 3, outputTokens: 2 };
    await Promise.all(askAll('well'));
    const { total } = await app.services.usage.report(range, context);
    expect({
      modelCalls: total.modelCalls - before.modelCalls,
      failures: total.failures - before.failures,
    }).toEqual({ modelCalls: 6, failures: 3 });
    expect(total).toMatchObject({ costNanoUsd: expect.toSatisfy(Number.isSafeInteger) });
  });
});

const silentProvider = definePlugin({
  name: 'test-silent-provider',
  kind: 'provider',
  version: 1,
  config: { properties: {} },
  create: () => ({
    models: async (): Promise<ModelInfo[]> => [{ name: 'm', capabilities: ['chat'] }],
    chat: async (_, { signal }): Promise<ChatResult> => await untilAborted(signal),
    async *stream(_, { signal }) {
      yield { type: 'text' as const, text: 'hi' };
      yield await untilAborted(signal);
    },
  }),
});

async function untilAborted(signal: AbortSignal): Promise<never> {
  return await new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

it('a call that timed out is booked as failed, and one whose caller left as cancelled', async () => {
  const config = { patchbay: 1, providers: { p: { use: silentProvider } }, gateway: { timeoutMs: 200 } } as const;
  const app = await createApp(config);
  const caller = new AbortController();
  const ask = (context: RequestContext) => [
    app.services.gateway.generate({ model: 'p/m', prompt: 'hello' }, context),
    app.services.gateway.streamGenerate({ model: 'p/m', prompt: 'hello' }, context).then(async ({ events }) => {
      for await (const _ of events);
    }),
  ];
  const leaving = { ...contextOf('a'), signal: caller.signal };
  const asked = [...ask(contextOf('a')), ...ask(leaving)].map((each) => each.catch(() => undefined));
  setTimeout(() => caller.abort(), 50);
  await Promise.all(asked);
  const { groups } = await app.services.usage.report({ ...range, groupBy: 'outcome' }, contextOf('a'));
  expect(Object.fromEntries(groups.map(({ group, totals }) => [group, totals.modelCalls]))).toEqual({
    failed: 2,
    cancelled: 2,
  });
  await app.host.stop(0);
});

/** Fails as the model of the request says. */
const timedOutProvider = definePlugin({
  name: 'test-timed-out-provider',
  kind: 'provider',
  version: 1,
  config: { properties: {} },
  create: () => {
    const fail = async (model: string): Promise<never> => {
      throw providerError(
        model === 'broken' ? 'bad_response' : 'timeout',
        'no',
        model === 'unsent' ? { unsent: true } : {},
      );
    };
    return {
      models: async () =>
        ['silent', 'unsent', 'broken'].flatMap((name): ModelInfo[] => [
          { name, capabilities: ['chat', 'embeddings'], pricing: { input: 15, output: 75 } },
        ]),
      chat: async ({ model }): Promise<ChatResult> => await fail(model),
      embed: async ({ model }) => await fail(model),
      async *stream({ model }): AsyncGenerator<never> {
        yield await fail(model);
      },
    };
  },
});

it.each([
  ['silent', true],
  ['unsent', false],
  ['broken', false],
])('the input of a call whose provider is %s is estimated: %s', async (model, isEstimated) => {
  const app = await createApp({ patchbay: 1, providers: { p: { use: timedOutProvider } } });
  const context = contextOf('a');
  const chosen = { model: `p/${model}` };
  for (const call of [
    () => app.services.gateway.generate({ ...chosen, prompt: 'hello there' }, context),
    () => app.services.gateway.streamGenerate({ ...chosen, prompt: 'hello there' }, context),
    () => app.services.gateway.embed({ ...chosen, text: 'hello there' }, context),
  ]) {
    const { total: before } = await app.services.usage.report(range, context);
    await expect(call()).rejects.toThrow('no');
    const { total } = await app.services.usage.report(range, context);
    expect(total.uncachedInputTokens > before.uncachedInputTokens).toBe(isEstimated);
    expect((total.costNanoUsd ?? 0) > (before.costNanoUsd ?? 0)).toBe(isEstimated);
  }
  const { rows } = await app.host
    .resolve(services.storage)
    .list(context.caller.tenant, 'usageEntries', { sort: 'createdAt', order: 'asc', limit: 20 });
  expect(rows.length).toBeGreaterThan(2);
  expect(rows.map(({ estimated }) => estimated)).toEqual(rows.map(() => isEstimated));
  await app.host.stop(0);
});
