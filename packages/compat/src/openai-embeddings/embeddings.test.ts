import { PatchbayError } from '@patchbay/core/plugin';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { parseEmbeddingRequest } from './parse-request.ts';
import { serializeEmbeddings } from './serialize-response.ts';

const model = 'acme/embed';
const answer = {
  model,
  embeddings: [
    [0.5, -1.25, 3],
    [1, 2, 0.1],
  ],
  tokens: 7,
};

/** A client of the SDK, whose requests go to the translators. */
const client = new OpenAI({
  apiKey: 'key',
  fetch: async (_url, init) => {
    const { encodingFormat } = parseEmbeddingRequest(JSON.parse(init?.body as string));
    return Response.json(serializeEmbeddings(answer, encodingFormat));
  },
});

describe('parseEmbeddingRequest', () => {
  it.each([
    [{ input: 'a' }, { texts: ['a'] }],
    [
      { input: ['a', 'b'], dimensions: 3 },
      { texts: ['a', 'b'], dimensions: 3 },
    ],
    [
      { input: 'a', encoding_format: 'base64' },
      { texts: ['a'], encodingFormat: 'base64' },
    ],
    [
      { input: 'a', routing: { optimize: 'cost' } },
      { texts: ['a'], choice: { model, routing: { optimize: 'cost' } } },
    ],
    [
      { input: 'a', user: 'u', x: 1 },
      { texts: ['a'], warnings: ['user is left out', 'x is left out'] },
    ],
  ])('reads %j', (members, expected) => {
    expect(parseEmbeddingRequest({ model, ...members })).toEqual({
      choice: { model },
      encodingFormat: 'float',
      warnings: [],
      announced: [],
      ...expected,
    });
  });

  it.each([
    ['/input', { input: [1, 2] }],
    ['/input', { input: [[1, 2]] }],
    ['/input', { input: [] }],
    ['/input', {}],
    ['/input', { input: 7 }],
    ['/input', { input: '' }],
    ['/input', { input: Array.from({ length: 2_049 }, () => 'a') }],
    ['/input/1', { input: ['a', ''] }],
    ['/input/1', { input: ['a', 7] }],
    ['/model', { input: 'a', model: '' }],
    ['/encoding_format', { input: 'a', encoding_format: 'int8' }],
    ['/dimensions', { input: 'a', dimensions: 0 }],
  ])('refuses %s of %j', (pointer, members) => {
    const refusal = expect.objectContaining({
      code: 'invalid_request',
      errors: [expect.objectContaining({ pointer })],
    });
    expect(() => parseEmbeddingRequest({ model, ...members })).toThrow(PatchbayError);
    expect(() => parseEmbeddingRequest({ model, ...members })).toThrow(refusal);
  });
});

describe('serializeEmbeddings', () => {
  it('writes numbers', () => {
    expect(serializeEmbeddings(answer)).toEqual({
      object: 'list',
      data: answer.embeddings.map((embedding, index) => ({ object: 'embedding', index, embedding })),
      model,
      usage: { prompt_tokens: 7, total_tokens: 7 },
    });
  });

  it('writes little-endian floats', () => {
    const { data } = serializeEmbeddings(answer, 'base64') as unknown as { data: { embedding: string }[] };
    const bytes = Buffer.from(data[0]?.embedding ?? '', 'base64');
    expect([0, 4, 8].map((offset) => bytes.readFloatLE(offset))).toEqual([0.5, -1.25, 3]);
  });

  it.each([
    ['float', answer.embeddings[0]],
    ['base64', 'AAAAPwAAoL8AAEBA'],
    [undefined, answer.embeddings[0]],
  ] as const)('is read by the SDK as %s', async (format, vector) => {
    const { data } = await client.embeddings.create({ model, input: 'a', ...(format && { encoding_format: format }) });
    expect(data[0]?.embedding).toEqual(vector);
  });
});
