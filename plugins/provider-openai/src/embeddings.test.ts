import { createUpstreamClient, type ModelInfo } from '@patchbay/core/provider';
import { describe, expect, it } from 'vitest';
import { embedBody, vectorsOf, withEmbedBatch } from './embeddings.ts';
import { presets } from './presets.ts';
import { readError } from './read-error.ts';

const upstream = createUpstreamClient({ name: 'openai', fetch, secrets: [], readError });
const model: ModelInfo = { name: 'm', capabilities: ['embeddings'] };

describe('embedBody', () => {
  it('has all texts, and never asks for base64', () => {
    expect(embedBody(model, { model: 'm', texts: ['a'] })).toEqual({
      model: 'm',
      input: 'a',
      encoding_format: 'float',
    });
    expect(embedBody(model, { model: 'm', texts: ['a', 'b'], dimensions: 2 })).toEqual({
      model: 'm',
      input: ['a', 'b'],
      dimensions: 2,
      encoding_format: 'float',
    });
  });

  it('calls the length of vectors as the server does', () => {
    const request = { model: 'm', texts: ['a'], dimensions: 2 };
    expect(embedBody(model, request, presets['mistral'])).toMatchObject({ output_dimension: 2 });
  });
});

describe('vectorsOf', () => {
  const entry = (index: number | undefined, ...embedding: readonly number[]) => ({ index, embedding });

  it('puts the vectors into the order of the texts', () => {
    const data = [entry(2, 3), entry(0, 1), entry(1, 2)];
    expect(vectorsOf({ data }, upstream)).toEqual([[1], [2], [3]]);
    expect(vectorsOf({ data: [{ embedding: [1] }, { embedding: [2] }] }, upstream)).toEqual([[1], [2]]);
    expect(vectorsOf({}, upstream)).toEqual([]);
  });

  it.each([
    ['twice for one text', [entry(0, 1), entry(0, 2)]],
    ['for a text that there is not', [entry(0, 1), entry(2, 2)]],
  ])('rejects vectors %s', (_, data) => {
    expect(() => vectorsOf({ data }, upstream)).toThrow(expect.objectContaining({ code: 'provider_bad_response' }));
  });
});

describe('withEmbedBatch', () => {
  it('is what the vendor takes, or what every server takes', () => {
    const models: readonly ModelInfo[] = [
      { ...model, name: 'small', vendor: 'openai' },
      { ...model, name: 'own' },
      { name: 'chat', capabilities: ['chat'] },
    ];
    const batches = (preset?: string) => {
      const known = withEmbedBatch(new Map(models.map((each) => [each.name, each])), presets[preset ?? '']);
      return [...known.values()].map((each) => (each as { readonly embedBatch?: number }).embedBatch);
    };
    expect(batches()).toEqual([2_048, 32, undefined]);
    expect(batches('azure')).toEqual([2_048, 2_048, undefined]);
  });
});
