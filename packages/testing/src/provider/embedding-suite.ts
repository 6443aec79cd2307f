import assert from 'node:assert/strict';
import type { EmbedRequest, EmbedResult } from '@patchbay/core/provider';
import { testContext } from '../test-context.ts';
import type { Reply } from '../upstream/exchange.ts';
import { upstreamReplies } from '../upstream/upstream-replies.ts';
import { failure, unlessRefused } from './assertions.ts';
import type { ProviderSubject, ProviderSuite } from './provider-under-test.ts';

/** Vectors, for providers that have them. */
export function embeddingSuite({ runner, options, it }: ProviderSuite): void {
  const { embeddingModel: model } = options;
  if (model === undefined) return;

  const embed = async (
    { provider }: ProviderSubject,
    request: Omit<EmbedRequest, 'model'> = { texts: ['Good morning'] },
  ): Promise<EmbedResult> => {
    const result = await provider.embed?.({ model, ...request }, testContext());
    assert.ok(result, 'the provider embeds');
    return result;
  };
  const dimensionsOf = async ({ provider }: ProviderSubject): Promise<number> =>
    (await provider.models()).find(({ name }) => name === model)?.dimensions ?? 0;
  const vector = async (subject: ProviderSubject): Promise<number[]> => vectorOf(await dimensionsOf(subject));

  runner.describe('embeddings', () => {
    it('match the dimensions of the model, number for number', async (subject) => {
      const embedding = await vector(subject);
      subject.upstream.script(upstreamReplies.healthy({ embedding }));
      const result = await embed(subject);
      assert.deepEqual(result.embeddings, [embedding]);
      assert.ok(Number.isSafeInteger(result.tokens) && result.tokens > 0);
    });

    it('of several texts come in the order of the texts', async (subject) => {
      const dimensions = await dimensionsOf(subject);
      const texts = ['text-one', 'text-two', 'text-three'];
      const vectors = texts.map((_, index) => vectorOf(dimensions, index + 1));
      // The vectors of the texts in a request, whether it has one of them or all.
      const byText: Reply = (exchange) => {
        const places = texts.map((text, index) => ({ index, at: exchange.request.body.indexOf(text) }));
        const sent = places.filter(({ at }) => at >= 0).sort((one, other) => one.at - other.at);
        return upstreamReplies.healthy({ embeddings: sent.map(({ index }) => vectors[index] ?? []) })(exchange);
      };
      subject.upstream.script(byText);
      const result = await embed(subject, { texts });
      assert.deepEqual(result.embeddings, vectors, 'one vector for each text, in their order');
      assert.ok(Number.isSafeInteger(result.tokens) && result.tokens > 0);
    });

    it('as short as they are asked for, or not at all', async (subject) => {
      const dimensions = Math.floor((await dimensionsOf(subject)) / 2);
      const embedding = vectorOf(dimensions);
      subject.upstream.script(upstreamReplies.healthy({ embedding }));
      const result = await unlessRefused(embed(subject, { texts: ['Good morning'], dimensions }));
      if (result === undefined) {
        assert.equal(subject.upstream.connections, 0, 'what cannot be done is not sent');
        return;
      }
      assert.deepEqual(result.embeddings, [embedding]);
      assert.ok(subject.upstream.requests[0]?.body.includes(String(dimensions)), 'the request has the dimensions');
    });

    it('of another length are no answer', async (subject) => {
      const embedding = (await vector(subject)).slice(1);
      subject.upstream.script(upstreamReplies.healthy({ embedding }));
      await failure(embed(subject), 'provider_bad_response');
    });

    const noAnswers = {
      'a page': upstreamReplies.html(),
      'an empty object': upstreamReplies.body('{}'),
      'wrong types': upstreamReplies.wrongTypes(),
      'no vectors': upstreamReplies.noChoices(),
      'a vector that is null': upstreamReplies.nullContent(),
      'a number that is none': upstreamReplies.infiniteEmbedding(),
    };
    for (const [name, reply] of Object.entries(noAnswers)) {
      it(`${name} is no answer`, async (subject) => {
        subject.upstream.script(reply);
        await failure(embed(subject), 'provider_bad_response');
      });
    }

    it('fail as chats do', async (subject) => {
      subject.upstream.script(upstreamReplies.status(401), upstreamReplies.status(429), upstreamReplies.status(503));
      await failure(embed(subject), 'provider_auth_failed');
      await failure(embed(subject), 'provider_rate_limited');
      await failure(embed(subject), 'provider_error');
    });
  });
}

/** Different for each start, and exact as float32, too. */
function vectorOf(dimensions: number, start = 0): number[] {
  return Array.from({ length: dimensions }, (_, index) => ((index + start) % 7) / 8);
}
