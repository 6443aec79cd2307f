import type { Sentence } from './sentences.ts';
import { centroid, createVectorizer, similarity } from './term-vector.ts';

/** What the first sentence gains over a late one: texts say early what they are about. */
const POSITION_WEIGHT = 0.2;

/** The sentences that are nearest to the middle of the text, in the text's order. */
export function mostCentral(sentences: readonly Sentence[], count: number): readonly Sentence[] {
  const vectorOf = createVectorizer(sentences.map(({ terms }) => terms));
  const vectors = sentences.map(({ terms }) => vectorOf(terms));
  const middle = centroid(vectors);
  const scores = vectors.map((vector, index) => similarity(vector, middle) + POSITION_WEIGHT / (1 + index));
  return best(sentences, scores, count);
}

/** The sentences that are nearest to a question, in the text's order; none that shares nothing with it. */
export function nearest(sentences: readonly Sentence[], question: readonly string[], count: number) {
  const vectorOf = createVectorizer(sentences.map(({ terms }) => terms));
  const asked = vectorOf(question);
  const scores = sentences.map(({ terms }) => similarity(vectorOf(terms), asked));
  return best(sentences, scores, count);
}

function best(sentences: readonly Sentence[], scores: readonly number[], count: number): readonly Sentence[] {
  const places = scores.map((score, index) => ({ score, index })).filter(({ score }) => score > 0);
  const chosen = places.sort((one, other) => other.score - one.score || one.index - other.index).slice(0, count);
  return chosen.sort((one, other) => one.index - other.index).map(({ index }) => sentences[index] as Sentence);
}
