import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashEmbedding } from './hash-embedding.ts';

const similarity = (one: string, other: string): number => {
  const vector = hashEmbedding(other);
  return hashEmbedding(one).reduce((sum, value, index) => sum + value * (vector[index] ?? 0), 0);
};

describe('an embedding', () => {
  it('has 512 finite numbers of length 1, for every text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const vector = hashEmbedding(text);
        expect(vector).toHaveLength(512);
        expect(Math.hypot(...vector)).toBeCloseTo(1, 9);
      }),
      { seed: 20_261_121 },
    );
    for (const text of ['', ' ', '!!!', '\u0000']) expect(Math.hypot(...hashEmbedding(text))).toBeCloseTo(1, 9);
  });

  it('is the same for the same text, also in another version of this package', () => {
    expect(hashEmbedding('hello')).toEqual(hashEmbedding('hello'));
    const places = hashEmbedding('hello').flatMap((value, index) => (value === 0 ? [] : [index]));
    expect(places).toMatchInlineSnapshot(`
      [
        29,
        46,
        62,
        67,
        72,
        90,
        347,
        410,
        425,
      ]
    `);
  });

  it('is near that of a text with the same words, in other forms and another order', () => {
    const close = similarity('how to grant network permissions', 'Permission for the network is granted with a flag.');
    const far = similarity('how to grant network permissions', 'Bananas ripen within a week when they lie in the sun.');
    expect(close).toBeGreaterThan(far + 0.3);
    expect(similarity('New York', 'york new')).toBeGreaterThan(0.7);
  });

  it('finds the right one of many texts by a part of it', () => {
    const subjects = ['bread', 'rivers', 'violins', 'planets', 'chess', 'coffee', 'glass', 'bees', 'trains', 'snow'];
    const documents = subjects.map(
      (subject) => `This page is about ${subject}. Many people study ${subject} with care.`,
    );
    for (const [index, subject] of subjects.entries()) {
      const scores = documents.map((document) => similarity(`a question on ${subject}`, document));
      expect(scores.indexOf(Math.max(...scores)), subject).toBe(index);
    }
  });
});
