import assert from 'node:assert/strict';
import type { Schema } from '@patchbay/core/plugin';
import {
  contentText,
  type modelCapabilities,
  type Provider,
  partsOf,
  type Tool,
  toolCallsOf,
  type Usage,
} from '@patchbay/core/provider';
import { testContext } from '../test-context.ts';
import type { Reply } from '../upstream/exchange.ts';
import { upstreamReplies } from '../upstream/upstream-replies.ts';
import { collect, failure } from './assertions.ts';
import { countedUsage } from './counted-usage.ts';
import type { ProviderSuite } from './provider-under-test.ts';

const parameters: Schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
export const weather: Tool = { name: 'weather', description: 'The weather in a city.', parameters };
export const toolCalls = [
  { name: 'weather', arguments: { city: 'Zürich' } },
  { name: 'weather', arguments: { city: 'Oslo' } },
];

export type ModelCapability = (typeof modelCapabilities)[number];

const NOT_AS_COUNTED =
  'usage is what the upstream counted, each token in one bucket; with `estimated`, its counts were not found in the answer';

/** The shape of an answer. */
export function chatSuite({ runner, options, it, question }: ProviderSuite): void {
  runner.describe('chat', () => {
    it('returns text, a finish reason and token counts', async ({ provider, upstream }) => {
      const spent: Usage = {
        uncachedInputTokens: 31,
        cacheReadTokens: 11,
        cacheWriteTokens: 0,
        outputTokens: 17,
        reasoningTokens: 5,
      };
      const usage = typeof options.dialect === 'string' ? spent : countedUsage(options.dialect, spent);
      upstream.script(upstreamReplies.healthy({ text: 'Good morning 🌞', usage }));
      const result = await provider.chat(question(), testContext());
      assert.deepEqual(partsOf(result.content), [{ type: 'text', text: 'Good morning 🌞' }]);
      assert.equal(result.finishReason, 'stop');
      assert.deepEqual(result.usage, usage, NOT_AS_COUNTED);
    });

    it('estimates tokens that the upstream does not count', async ({ provider, upstream }) => {
      upstream.script(upstreamReplies.healthy({ usage: null }));
      const { usage } = await provider.chat(question('x'.repeat(400)), testContext());
      assert.equal(usage.estimated, true);
      assert.ok(usage.uncachedInputTokens >= 100 && usage.outputTokens > 0);
      for (const count of Object.values(usage)) assert.ok(count === true || Number.isSafeInteger(count));
    });

    it('returns tool calls with distinct ids, and accepts their results', async ({ provider, upstream }) => {
      if (!(await takesTools(provider, question().model))) {
        await failure(provider.chat({ ...question(), tools: [weather] }, testContext()), 'unsupported_parameter');
        assert.equal(upstream.connections, 0, 'what cannot be done is not sent');
        return;
      }
      upstream.script(upstreamReplies.healthy({ toolCalls }), upstreamReplies.healthy());
      const asked = { ...question(), tools: [weather] };
      const result = await provider.chat(asked, testContext());
      assert.equal(result.finishReason, 'tool-calls', 'the model claims tools: their calls are read');
      const calls = toolCallsOf(result.content);
      assert.deepEqual(
        calls.map(({ name, arguments: values }) => ({ name, arguments: values })),
        toolCalls,
      );
      assert.equal(new Set(calls.map(({ id }) => id)).size, 2);
      const answer = { role: 'assistant', content: result.content } as const;
      const results = calls.map(({ id }, index) => ({
        role: 'tool' as const,
        toolCallId: id,
        content: `result ${index}`,
      }));
      const messages = [...asked.messages, answer, ...results];
      assert.equal((await provider.chat({ ...asked, messages }, testContext())).finishReason, 'stop');
      const sent = upstream.requests[1]?.body ?? '';
      for (const word of ['Zürich', 'Oslo', 'result 0', 'result 1']) assert.ok(sent.includes(word), `${word} was sent`);
    });

    it('sends nothing that was not asked for', async ({ provider, upstream }) => {
      await provider.chat(question(), testContext());
      const sent = upstream.requests[0]?.body ?? '';
      for (const name of ['temperature', 'top_p', 'topP', 'penalty', 'Penalty', 'tools', 'null']) {
        assert.ok(!sent.includes(name), `${name} was sent, but not requested: ${sent}`);
      }
    });

    it('calls use the transport alone, and write nothing to the console', async ({ provider, upstream }) => {
      const { fetch } = globalThis;
      const written: unknown[] = [];
      const methods = ['debug', 'log', 'info', 'warn', 'error'] as const;
      const originals = methods.map((method) => console[method]);
      let fetches = 0;
      globalThis.fetch = (...given) => {
        fetches += 1;
        return fetch(...given);
      };
      for (const method of methods) console[method] = (...text: readonly unknown[]) => void written.push(text);
      try {
        await provider.chat(question(), testContext());
        if (provider.stream) await collect(provider.stream(question(), testContext()));
        const { embeddingModel: model } = options;
        const known = (await provider.models()).find(({ name }) => name === model);
        upstream.script(upstreamReplies.healthy({ embedding: Array<number>(known?.dimensions ?? 0).fill(0.5) }));
        if (model !== undefined) await provider.embed?.({ model, texts: ['Hi'] }, testContext());
      } finally {
        globalThis.fetch = fetch;
        for (const [index, method] of methods.entries()) console[method] = originals[index] ?? console[method];
      }
      assert.equal(fetches, 0, 'the global fetch was used: take the fetch of the transport');
      assert.deepEqual(written, [], 'a provider writes to its logger');
    });

    it('20 calls at once get each their own answer', async ({ provider, upstream }) => {
      const echo: Reply = (exchange) => {
        const [nonce = ''] = /nonce-\d+/.exec(exchange.request.body) ?? [];
        return upstreamReplies.healthy({ text: `Answer to ${nonce}.` })(exchange);
      };
      upstream.script(echo);
      await Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          const asked = question(`This is nonce-${index}`);
          if (index % 2 === 0 || !provider.stream) {
            const { content } = await provider.chat(asked, testContext());
            assert.equal(contentText(content), `Answer to nonce-${index}.`);
            return;
          }
          const deltas = await collect(provider.stream(asked, testContext()));
          const text = deltas.map((delta) => (delta.type === 'text' ? delta.text : '')).join('');
          assert.equal(text, `Answer to nonce-${index}.`);
        }),
      );
    });
  });
}

/** Whether the model declares that it supports tools. */
export const takesTools = (provider: Provider, model: string): Promise<boolean> => isCapable(provider, model, 'tools');

/** Whether the model declares that capability. */
export async function isCapable(provider: Provider, model: string, capability: ModelCapability): Promise<boolean> {
  const known = (await provider.models()).find(({ name }) => name === model);
  return known?.capabilities.includes(capability) ?? false;
}
