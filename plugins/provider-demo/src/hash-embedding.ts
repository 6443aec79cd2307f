import { stopWords } from './text/stop-words.ts';
import { stem, wordsOf } from './text/words.ts';

export const DIMENSIONS = 512;

const WORD = 1;
const STOP_WORD = 0.1;
const WORD_PAIR = 0.5;
const CHARACTERS = 0.2;

/**
 * A vector of what a text is made of: words, pairs of words, and groups of three and four characters, each hashed to a
 * place and a sign. Texts are near each other as far as they share these; nothing is known of their meaning.
 */
export function hashEmbedding(text: string): readonly number[] {
  const vector = new Float64Array(DIMENSIONS);
  for (const [feature, { weight, count }] of featuresOf(text)) {
    const hash = hashOf(feature);
    const sign = hash & 1 ? 1 : -1;
    const place = (hash >>> 1) % DIMENSIONS;
    // The tenth mention of a word says less than the first.
    vector[place] = (vector[place] ?? 0) + sign * weight * (1 + Math.log(count));
  }
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  // Features can cancel each other out. A vector of nothing has no direction, so that it gets one.
  if (length === 0) vector[0] = 1;
  return Array.from(vector, (value) => (length === 0 ? value : value / length));
}

interface Feature {
  readonly weight: number;
  count: number;
}

function featuresOf(text: string): ReadonlyMap<string, Feature> {
  const features = new Map<string, Feature>();
  const add = (name: string, weight: number): void => {
    const feature = features.get(name);
    if (feature) feature.count += 1;
    else features.set(name, { weight, count: 1 });
  };
  const words = wordsOf(text);
  let before = '';
  for (const word of words) {
    const isCommon = stopWords.has(word);
    add(`w ${stem(word)}`, isCommon ? STOP_WORD : WORD);
    if (before !== '') add(`p ${before} ${stem(word)}`, isCommon ? STOP_WORD : WORD_PAIR);
    before = stem(word);
    if (isCommon) continue;
    for (const group of characterGroups(`_${word}_`)) add(`c ${group}`, CHARACTERS);
  }
  // A text without words, such as punctuation, is still told apart from another one.
  if (words.length === 0) for (const group of characterGroups(`_${text}_`)) add(`c ${group}`, CHARACTERS);
  return features;
}

function* characterGroups(word: string): Iterable<string> {
  const characters = Array.from(word);
  for (const size of [3, 4]) {
    for (let start = 0; start + size <= characters.length; start += 1) {
      yield characters.slice(start, start + size).join('');
    }
  }
}

/** FNV-1a with a final mix, without which short texts share their upper bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
