import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { testContext } from '../test-context.ts';
import { isStream } from '../upstream/dialects/dialect.ts';
import type { Reply } from '../upstream/exchange.ts';
import { completeAnswer } from '../upstream/upstream-answer.ts';
import { upstreamReplies } from '../upstream/upstream-replies.ts';
import { assertEndsWith, collect, oneByOne, rejection } from './assertions.ts';
import type { ProviderSuite } from './provider-under-test.ts';

/** A disconnect stops the work, down to the socket. */
export function cancellationSuite({ runner, options, it, question }: ProviderSuite): void {
  runner.describe('cancellation', () => {
    it('of a call before it began sends nothing', async ({ provider, upstream }) => {
      const reason = new Error('left before');
      const context = testContext({ signal: AbortSignal.abort(reason) });
      await assertEndsWith(reason, provider.chat(question(), context));
      if (provider.stream) await assertEndsWith(reason, collect(provider.stream(question(), context)));
      const { embeddingModel: model = '' } = options;
      if (model) await assertEndsWith(reason, provider.embed?.({ model, texts: ['x'] }, context) ?? never());
      assert.equal(upstream.connections, 0, 'a call whose signal has aborted sends nothing');
    });

    const waits = {
      'before the answer': upstreamReplies.hang(),
      'within the head of the answer': upstreamReplies.hangAfterHeaders(),
      'within the answer': upstreamReplies.hangMidBody(),
    };
    for (const [place, reply] of Object.entries(waits)) {
      it(`of a chat ${place} closes the socket`, async ({ provider, upstream }) => {
        upstream.script(reply);
        const controller = new AbortController();
        const arrived = upstream.nextRequest();
        const reason = new Error('left');
        const ended = assertEndsWith(reason, provider.chat(question(), testContext({ signal: controller.signal })));
        const request = await Promise.race([arrived, ended.then(() => arrived)]);
        controller.abort(reason);
        await ended;
        await upstream.whenSocketsClosed();
        assert.ok(request.aborted, 'the connection was closed before the answer was complete');
      });
    }

    if (!options.wholeAnswersOnly) {
      it('of a stream closes the socket', async ({ provider, upstream }) => {
        upstream.script(upstreamReplies.hangMidStream());
        const controller = new AbortController();
        const reason = new Error('left');
        const reading = async () => {
          const { signal } = controller;
          for await (const delta of oneByOne(provider.stream?.(question(), testContext({ signal })))) {
            if (delta.type === 'text') controller.abort(reason);
          }
        };
        await assertEndsWith(reason, reading());
        await upstream.whenSocketsClosed();
      });

      it('by ending the iteration closes the socket', async ({ provider, upstream }) => {
        upstream.script(upstreamReplies.hangMidStream());
        for await (const delta of oneByOne(provider.stream?.(question(), testContext()))) {
          if (delta.type === 'text') break;
        }
        await upstream.whenSocketsClosed();
        assert.equal(upstream.requests.length, 1);
      });
    }

    it('works after the garbage was collected', async ({ provider, upstream }) => {
      upstream.script(hangWithin);
      const controller = new AbortController();
      const calls = [];
      for (let index = 0; index < 12; index += 1) {
        const arrived = upstream.nextRequest();
        const context = testContext({ signal: controller.signal });
        const call =
          index % 2 === 0 || !provider.stream
            ? provider.chat(question(), context)
            : collect(provider.stream(question(), context));
        calls.push(rejection(call));
        await arrived;
      }
      const collectGarbage = garbageCollector();
      // The second one takes what the first one has finalized.
      for (let round = 0; round < 2; round += 1) {
        collectGarbage();
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      }
      const reason = new Error('left');
      controller.abort(reason);
      for (const error of await Promise.all(calls)) assert.equal(error, reason);
      await upstream.whenSocketsClosed();
    });

    it('leaves the calls beside it alone', async ({ provider, upstream }) => {
      upstream.script(upstreamReplies.hang(), upstreamReplies.healthy());
      const controller = new AbortController();
      const arrived = upstream.nextRequest();
      const rejected = rejection(provider.chat(question(), testContext({ signal: controller.signal })));
      await arrived;
      const other = provider.chat(question(), testContext());
      controller.abort();
      await rejected;
      assert.equal((await other).finishReason, 'stop');
    });
  });
}

/** Hangs halfway, in a stream or a body: the response that the dialect would send decides which. */
const hangWithin: Reply = (exchange) => {
  const { dialect, request } = exchange;
  const streams = dialect.refuse(request) === undefined && isStream(dialect.answer(request, completeAnswer({})));
  return (streams ? upstreamReplies.hangMidStream() : upstreamReplies.hangMidBody())(exchange);
};

/** The garbage collector of this process, which is hidden unless a flag exposes it. */
function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

function never(): Promise<never> {
  return Promise.reject(new Error('the provider does not embed'));
}
