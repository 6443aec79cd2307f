import { termsOf } from './words.ts';

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
