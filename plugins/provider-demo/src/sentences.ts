import words from './words.json' with { type: 'json' };

/** English words that say nothing about a subject. Other languages lose little: their common words only count more. */
export const stopWords: ReadonlySet<string> = new Set(words.stopWords);

// In scripts without spaces, each character counts as a word.
const word = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}\p{M}]+/gu;

/** The words of a text in lower case. The parts of `camelCase` and `snake_case` are separate words. */
export function wordsOf(text: string): readonly string[] {
  const spaced = text.normalize('NFKC').replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, ' ');
  return spaced.toLowerCase().match(word) ?? [];
}

/** The stems of the words that say what a text is about, in order. */
export function termsOf(text: string): readonly string[] {
  return wordsOf(text).flatMap((each) => (stopWords.has(each) ? [] : [stem(each)]));
}

/** Cuts the usual endings of English, so that `prices` and `pricing` meet. */
export function stem(word: string): string {
  if (word.length <= 3) return word;
  return word
    .replace(/(?:ies|y)$/, 'i')
    .replace(/(?:ing|ed|es|s|e)$/, '')
    .replace(/([^aeiou])\1$/, '$1');
}

/** The number of different terms that are also in the set. */
export function overlap(terms: Iterable<string>, among: ReadonlySet<string>): number {
  return [...new Set(terms)].filter((term) => among.has(term)).length;
}

/** The words that a text uses most, in the form in which they come first. */
export function keywordsOf(text: string): readonly string[] {
  // In lower case first, so that names such as JavaScript stay whole.
  const words = wordsOf(text.toLowerCase()).filter((each) => each.length >= 3 && !/^\p{N}+$/u.test(each));
  const forms = [...Map.groupBy(words, stem).values()].filter(([first = '']) => !stopWords.has(first));
  return forms.sort((one, other) => other.length - one.length).flatMap(([first = '']) => first);
}

/** The beginning of a text with at most this many characters, up to the end of a word if there is one. */
export function cutToCharacters(text: string, count: number): string {
  const characters = Array.from(text);
  return characters.length <= count ? text : cutAtWord(text, characters.slice(0, count).join(''));
}

/** The beginning of a text with at most this many bytes in UTF-8, up to the end of a word if there is one. */
export function cutToBytes(text: string, count: number): string {
  const bytes = Buffer.from(text);
  // As a stream, the decoder keeps back the first bytes of a character that is cut in two.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return bytes.length <= count ? text : cutAtWord(text, decoder.decode(bytes.subarray(0, count), { stream: true }));
}

function cutAtWord(text: string, cut: string): string {
  const isBetweenWords = /^\s/.test(text.slice(cut.length));
  return (isBetweenWords ? cut : cut.replace(/\s\S*$/, '')).trimEnd() || cut;
}

export interface Sentence {
  /** As in the text, without white space and list marks around it. */
  readonly text: string;
  readonly terms: readonly string[];
}

const sentenceEnd = /(?<=[.!?…]["'”’)\]]?)\s+(?=[^\p{Ll}\s])|(?<=[。！？])|[\r\n]+/u;

export function sentencesOf(text: string): readonly Sentence[] {
  const parts = text.split(sentenceEnd).map((part) => part.replace(/^[-*•#>\s]+/, '').trim());
  return [...new Set(parts)].filter((part) => part !== '').map((part) => ({ text: part, terms: termsOf(part) }));
}

/** Whether it announces what follows, like `Summarize this text:`. */
export function isHeading({ text }: Sentence): boolean {
  return text.endsWith(':') || text.endsWith('：');
}

export function isQuestion({ text }: Sentence): boolean {
  return /[?？]["'”’)]?$/.test(text) || /^(?:who|whose|what|when|where|which|why|how)\b[^:]*$/i.test(text);
}

/** Bonus of the first sentence over later ones: texts say early what they are about. */
const POSITION_WEIGHT = 0.2;

/** The sentences nearest to the centroid of the text, in the text's order. */
export function mostCentral(sentences: readonly Sentence[], count: number): readonly Sentence[] {
  const vectorOf = createVectorizer(sentences);
  const vectors = sentences.map(({ terms }) => vectorOf(terms));
  const centroid = normalized(vectors.flatMap((vector) => [...vector]));
  const scores = vectors.map((vector, index) => similarity(vector, centroid) + POSITION_WEIGHT / (1 + index));
  return best(sentences, scores, count);
}

/** The sentences nearest to some terms, in the text's order; only sentences that share a term with them. */
export function nearest(sentences: readonly Sentence[], terms: readonly string[], count: number): readonly Sentence[] {
  const vectorOf = createVectorizer(sentences);
  const asked = vectorOf(terms);
  const scores = sentences.map((sentence) => similarity(vectorOf(sentence.terms), asked));
  return best(sentences, scores, count);
}

function best(sentences: readonly Sentence[], scores: readonly number[], count: number): readonly Sentence[] {
  const ranked = scores.filter((score) => score > 0).sort((one, other) => other - one);
  const least = ranked[Math.min(count, ranked.length) - 1] ?? Number.POSITIVE_INFINITY;
  return sentences.filter((_, index) => (scores[index] ?? 0) >= least).slice(0, count);
}

/** Weights of terms; of length 1 unless empty. */
type TermVector = ReadonlyMap<string, number>;

/** Makes vectors in which a term counts more the fewer sentences have it. */
function createVectorizer(sentences: readonly Sentence[]): (terms: readonly string[]) => TermVector {
  const sentencesWith = summed(sentences.flatMap(({ terms }) => [...new Set(terms)].map((term) => [term, 1] as const)));
  return (terms) =>
    normalized(terms.map((term) => [term, Math.log(1 + sentences.length / (sentencesWith.get(term) ?? 1))]));
}

function normalized(weights: readonly (readonly [string, number])[]): TermVector {
  const vector = summed(weights);
  const length = Math.sqrt([...vector.values()].reduce((sum, weight) => sum + weight * weight, 0));
  return new Map([...vector].map(([term, weight]) => [term, weight / length]));
}

function summed(weights: readonly (readonly [string, number])[]): TermVector {
  const sums = new Map<string, number>();
  for (const [term, weight] of weights) sums.set(term, (sums.get(term) ?? 0) + weight);
  return sums;
}

/** 0 where the vectors share nothing, 1 where they are equal. */
function similarity(one: TermVector, other: TermVector): number {
  return [...one].reduce((sum, [term, weight]) => sum + weight * (other.get(term) ?? 0), 0);
}
