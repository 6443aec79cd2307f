import assert from 'node:assert/strict';
import type { EmbedResult } from '@patchbay/core/provider';
import { testContext } from '../test-context.ts';
import { upstreamReplies } from '../upstream/upstream-replies.ts';
import { failure } from './assertions.ts';
import type { ProviderSubject, ProviderSuite } from './provider-under-test.ts';

/** Vectors, for providers that have them. */
export function embeddingSuite({ runner, options, it }: ProviderSuite): void {
  const { embeddingModel: model } = options;
  if (model === undefined) return;

  const embed = async ({ provider }: ProviderSubject, text = 'Good morning'): Promise<EmbedResult> => {
    const result = await provider.embed?.({ model, text }, testContext());
    assert.ok(result, 'the provider embeds');
    return result;
  };
  const vector = async ({ provider }: ProviderSubject): Promise<number[]> => {
    const known = (await provider.models()).find(({ name }) => name === model);
    return Array.from({ length: known?.dimensions ?? 0 }, (_, index) => (index % 7) / 8);
  };

  runner.describe('embeddings', () => {
    it('match the dimensions of the model, number for number', async (subject) => {
      const embedding = await vector(subject);
      subject.upstream.script(upstreamReplies.healthy({ embedding }));
      const result = await embed(subject);
      assert.deepEqual(result.embedding, embedding);
      assert.ok(Number.isSafeInteger(result.tokens) && result.tokens > 0);
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
