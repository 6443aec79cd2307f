import { crc32 } from 'node:zlib';
import { stem, stopWords, wordsOf } from './words.ts';

export const DIMENSIONS = 512;

/**
 * A vector of the words and pairs of words in a text, each hashed to a place and a sign. Texts are near each other as
 * far as they share these; nothing is known of their meaning.
 */
export function hashEmbedding(text: string): readonly number[] {
  const vector = new Float64Array(DIMENSIONS);
  // Each feature counts once, however often a text repeats it.
  for (const [feature, weight] of new Map(featuresOf(text))) {
    const hash = crc32(feature);
    const place = (hash >>> 1) % DIMENSIONS;
    vector[place] = (vector[place] ?? 0) + (hash & 1 ? weight : -weight);
  }
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  // Features can cancel each other out. A vector of nothing has no direction, so that it gets one.
  if (length === 0) vector[0] = 1;
  return Array.from(vector, (value) => value / (length || 1));
}

function* featuresOf(text: string): Iterable<readonly [feature: string, weight: number]> {
  let before = '';
  for (const word of wordsOf(text)) {
    const isCommon = stopWords.has(word);
    yield [stem(word), isCommon ? 0.1 : 1];
    yield [`${before} ${stem(word)}`, isCommon ? 0.1 : 0.5];
    before = stem(word);
  }
}
