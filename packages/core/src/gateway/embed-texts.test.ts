import type { EmbedRequest, Provider } from '@patchbay/contracts/provider';
import { expect, it } from 'vitest';
import { contextOf } from '../functions/fixtures/function-parts.ts';
import { createTestGateway } from './fixtures/gateway.ts';

const context = contextOf('a');
const model = { name: 'e', capabilities: ['embeddings'], dimensions: 2, embedBatch: 3 } as const;

function provider(embed: (request: EmbedRequest) => readonly (readonly number[])[]) {
  const requests: EmbedRequest[] = [];
  const made: Provider = {
    models: async () => [model],
    async chat() {
      throw new Error('no chat expected');
    },
    async embed(request) {
      requests.push(request);
      return { embeddings: embed(request), tokens: request.texts.length, warnings: ['adapted'] };
    },
  };
  return { made, requests };
}

const numbered = ({ texts }: EmbedRequest) => texts.map((text) => [Number(text), 0]);

it('texts beyond the batch size of a model are sent in several requests, and their vectors come back in order', async () => {
  const { made, requests } = provider(numbered);
  const { gateway } = await createTestGateway({ p: made });
  const texts = Array.from({ length: 17 }, (_, index) => `${index}`);
  const answer = await gateway.embedMany({ texts }, context);
  expect(answer.embeddings).toEqual(texts.map((text) => [Number(text), 0]));
  expect(answer).toMatchObject({ model: 'p/e', tokens: 17, warnings: ['adapted'] });
  expect(requests.map((request) => request.texts.length)).toEqual([3, 3, 3, 3, 3, 2]);
});

it('a requested length is passed on, and the vectors must have it', async () => {
  const { made, requests } = provider(({ texts, dimensions = 2 }) =>
    texts.map(() => Array<number>(dimensions).fill(0.5)),
  );
  const { gateway } = await createTestGateway({ p: made });
  expect((await gateway.embedMany({ texts: ['a'], dimensions: 5 }, context)).embeddings[0]).toHaveLength(5);
  expect(requests[0]?.dimensions).toBe(5);
  const stubborn = provider(({ texts }) => texts.map(() => [0, 0]));
  const other = await createTestGateway({ p: stubborn.made });
  await expect(other.gateway.embedMany({ texts: ['a'], dimensions: 5 }, context)).rejects.toMatchObject({
    code: 'provider_bad_response',
  });
});

it('a provider that returns another number of vectors has failed', async () => {
  const { made } = provider(() => [[0, 0]]);
  const { gateway } = await createTestGateway({ p: made });
  await expect(gateway.embedMany({ texts: ['a', 'b'] }, context)).rejects.toMatchObject({
    code: 'provider_bad_response',
  });
});
