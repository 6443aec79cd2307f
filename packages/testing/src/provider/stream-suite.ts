import assert from 'node:assert/strict';
import { type ChatDelta, type ChatResult, ContentBuilder, contentText, partsOf } from '@patchbay/core/provider';
import { testContext } from '../test-context.ts';
import { resolveDialect } from '../upstream/dialects/resolve-dialect.ts';
import { upstreamReplies } from '../upstream/upstream-replies.ts';
import { collect, failure } from './assertions.ts';
import { takesTools, toolCalls, weather } from './chat-suite.ts';
import { tellsApart } from './counted-usage.ts';
import { reasoning, refusal } from './parts-suite.ts';
import type { ProviderSuite } from './provider-under-test.ts';

/** Streams, for providers that have them. */
export function streamSuite({ runner, options, it, question }: ProviderSuite): void {
  runner.describe('stream', () => {
    if (options.wholeAnswersOnly) {
      it('stays undefined when the provider does not declare it', async ({ provider }) => {
        assert.ok(!('stream' in provider));
      });
      return;
    }

    const answers = {
      text: { text: 'Grüße aus 東京 🚀, und\nguten Morgen.' },
      'tool calls': { toolCalls },
      'tool calls whose pieces alternate': { toolCalls, alternating: true },
      'text that was cut off': { text: 'Once upon', usage: null },
      'reasoning and a text': { reasoning, text: 'Seventeen.' },
      ...(tellsApart(resolveDialect(options.dialect), { text: '' }, { text: '', refusal })
        ? { 'a refusal': { refusal } }
        : {}),
    };
    for (const [name, answer] of Object.entries(answers)) {
      it(`adds up to the result of chat: ${name}`, async ({ provider, upstream }) => {
        upstream.script(upstreamReplies.healthy(answer));
        if ('toolCalls' in answer && !(await takesTools(provider, question().model))) return;
        const asked = 'toolCalls' in answer ? { ...question(), tools: [weather] } : question();
        const whole = await provider.chat(asked, testContext());
        const sum = addUp(await collect(provider.stream?.(asked, testContext())));
        assert.deepEqual(withoutIds(sum), withoutIds(whole));
      });
    }

    it('shows of each call the pieces of its arguments, by its id, before it is whole', async ({
      provider,
      upstream,
    }) => {
      if (!(await takesTools(provider, question().model))) return;
      upstream.script(upstreamReplies.healthy({ toolCalls, alternating: true }));
      const deltas = await collect(provider.stream?.({ ...question(), tools: [weather] }, testContext()));
      const calls = deltas.flatMap((delta) => (delta.type === 'tool-call' ? [delta.toolCall] : []));
      assert.equal(calls.length, toolCalls.length, 'each call is completed by a delta `tool-call`');
      const pieces = deltas.flatMap((delta, index) => (delta.type === 'tool-arguments' ? [{ ...delta, index }] : []));
      for (const { id, name, index } of pieces) {
        const whole = deltas.findIndex((delta) => delta.type === 'tool-call' && delta.toolCall.id === id);
        assert.ok(whole > index, 'the pieces of a call have its id, and come before it');
        assert.ok(
          calls.some((call) => call.id === id && call.name === name),
          'the pieces of a call have its name',
        );
      }
      // If the upstream sends complete arguments, there are no pieces.
      if (pieces.length === 0) return;
      for (const call of calls) {
        const written = pieces.map(({ id, text }) => (id === call.id ? text : '')).join('');
        assert.deepEqual(JSON.parse(written), call.arguments, 'the pieces of a call add up to its arguments');
      }
    });

    const peculiar = {
      'a byte at a time': upstreamReplies.bytewise({ text: 'Grüße 🚀' }),
      'other line ends': upstreamReplies.otherLineEnds({ text: 'Grüße 🚀' }),
      comments: upstreamReplies.comments({ text: 'Grüße 🚀' }),
    };
    for (const [name, reply] of Object.entries(peculiar)) {
      it(`reads the same with ${name}`, async ({ provider, upstream }) => {
        upstream.script(reply);
        const sum = addUp(await collect(provider.stream?.(question(), testContext())));
        assert.equal(contentText(sum.content), 'Grüße 🚀');
      });
    }

    for (const [name, answer] of Object.entries(answers)) {
      it(`completes without the last event of its vendor, such as [DONE]: ${name}`, async ({ provider, upstream }) => {
        if ('toolCalls' in answer && !(await takesTools(provider, question().model))) return;
        const asked = 'toolCalls' in answer ? { ...question(), tools: [weather] } : question();
        upstream.script(upstreamReplies.healthy(answer));
        const whole = await provider.chat(asked, testContext());
        upstream.script(upstreamReplies.noTerminator(answer));
        const sum = addUp(await collect(provider.stream?.(asked, testContext())));
        assert.deepEqual(withoutIds(sum), withoutIds(whole));
      });
    }

    it('ends once, also where the upstream sends two ends', async ({ provider, upstream }) => {
      upstream.script(upstreamReplies.duplicateEnding());
      const deltas = await collect(provider.stream?.(question(), testContext()));
      assert.deepEqual(
        deltas.flatMap((delta, index) => (delta.type === 'finish' ? [index] : [])),
        [deltas.length - 1],
      );
    });

    const broken = {
      'without its ending': upstreamReplies.noEnding(),
      'with an event that is no JSON': upstreamReplies.malformedEvent(),
      'cut off': upstreamReplies.closeMidStream(),
      'that is no stream': upstreamReplies.html(),
      'of nothing': upstreamReplies.body('', { contentType: 'text/event-stream' }),
      'with a line without end': upstreamReplies.longLine(20 * 1024 * 1024),
    };
    for (const [name, reply] of Object.entries(broken)) {
      it(`one ${name} has failed`, async ({ provider, upstream }) => {
        upstream.script(reply);
        await failure(collect(provider.stream?.(question(), testContext())), 'provider_bad_response');
      });
    }

    it('passes on that the upstream failed', async ({ provider, upstream }) => {
      upstream.script(upstreamReplies.errorEvent());
      await failure(collect(provider.stream?.(question(), testContext())), 'provider_error');
    });

    it('fails before it begins where the upstream refuses', async ({ provider, upstream }) => {
      upstream.script(upstreamReplies.status(429, { retryAfter: '3' }));
      const error = await failure(collect(provider.stream?.(question(), testContext())), 'provider_rate_limited');
      assert.equal(error.retryAfter, 3);
    });

    it(
      'waits no longer than it should for the next piece',
      async ({ provider, upstream }) => {
        upstream.script(upstreamReplies.hangMidStream());
        await failure(collect(provider.stream?.(question(), testContext())), 'provider_timeout');
        await upstream.whenSocketsClosed();
      },
      { idleMs: 100 },
    );
  });
}

function addUp(deltas: readonly ChatDelta[]): ChatResult {
  const sum = new ContentBuilder();
  for (const delta of deltas.slice(0, -1)) {
    assert.ok(delta.type !== 'finish', 'there is one finish');
    sum.take(delta);
  }
  const finish = deltas.at(-1);
  assert.ok(finish?.type === 'finish', 'the last delta is the finish');
  const { type: _, ...end } = finish;
  return { content: sum.content, ...end };
}

/** Each response has its own, and some providers make them up. */
function withoutIds({ content, ...result }: ChatResult): object {
  const parts = JSON.stringify(partsOf(content), (name, value: unknown) => (name === 'id' ? '' : value));
  return { ...result, content: JSON.parse(parts) as object };
}
