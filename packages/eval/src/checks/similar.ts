import type { Check, CheckContext } from '../eval-case.ts';
import { noVoteOf } from './no-vote-of.ts';
import { outputCheck } from './output-check.ts';
import { valueAt } from './value-at.ts';

/** A text with a similar meaning. */
export interface Similarity {
  /** Default: the text in `expected`. */
  readonly value?: string;
  /** Model of the embeddings. */
  readonly model: string;
  readonly threshold?: number;
}

const DEFAULT_THRESHOLD = 0.75;

type Vector = readonly number[];

/** Embeddings of texts, each requested once. */
export class Vectors {
  readonly #known = new Map<string, Promise<Vector>>();

  of(model: string, text: string, call: CheckContext['call']): Promise<Vector> {
    const key = JSON.stringify([model, text]);
    const known = this.#known.get(key);
    if (known) return known;
    const asked = call('/embeddings', { model, text }).then((answer) => (answer as { embedding: Vector }).embedding);
    this.#known.set(key, asked);
    // A failure is not kept: the next answer requests it again.
    asked.catch(() => this.#known.delete(key));
    return asked;
  }
}

/** Texts at these locations have a meaning similar to others: the minimum cosine is the score. */
export function similar(places: Readonly<Record<string, Similarity>>, expected: unknown, vectors: Vectors): Check {
  const wanted = Object.entries(places).map(([pointer, { value, model, threshold = DEFAULT_THRESHOLD }]) => {
    return { pointer, model, threshold, text: value ?? valueAt(expected, pointer) };
  });
  const texts = wanted.map(({ pointer, text, threshold }) => `${pointer} like ${JSON.stringify(text)} (${threshold})`);
  return outputCheck('similar', texts.join(', '), async (output, { call }) => {
    const found: { readonly cosine: number; readonly threshold: number; readonly pointer: string }[] = [];
    for (const { pointer, model, threshold, text } of wanted) {
      if (typeof text !== 'string' || text === '') return { noVote: `no text is expected at ${pointer}` };
      const actual = valueAt(output, pointer);
      if (typeof actual !== 'string' || actual === '') {
        return { score: 0, passed: false, reason: `${pointer || 'the output'} is no text` };
      }
      try {
        const [one, other] = await Promise.all([vectors.of(model, text, call), vectors.of(model, actual, call)]);
        found.push({ cosine: cosine(one, other), threshold, pointer });
      } catch (error) {
        return noVoteOf('the embeddings', error);
      }
    }
    const score = Math.min(...found.map((each) => Math.max(0, Math.min(1, each.cosine))));
    const reason = found.map((each) => `${each.pointer || 'the output'} ${each.cosine.toFixed(3)}`).join(', ');
    return { score, passed: found.every((each) => each.cosine >= each.threshold), reason };
  });
}

function cosine(one: Vector, other: Vector): number {
  let [product, first, second] = [0, 0, 0];
  for (const [index, value] of one.entries()) {
    const beside = other[index] ?? 0;
    product += value * beside;
    first += value * value;
    second += beside * beside;
  }
  return first === 0 || second === 0 ? 0 : product / Math.sqrt(first * second);
}
