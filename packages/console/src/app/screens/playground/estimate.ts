import type { Model } from '../../api/operations.generated.ts';

/** Characters per token, in most languages and for most models. */
const TOKEN_CHARACTERS = 4;
const PRICED_TOKENS = 1_000_000;

/** Figures of an answer before the server reports its own. */
interface Estimate {
  readonly tokens: number;
  /** Absent if the price is not known. */
  readonly cost?: { readonly amount: string };
}

/** The tokens and the cost of an answer so far, from its length and that of its question. */
export function estimateOf(askedCharacters: number, text: string, pricing: Model['pricing']): Estimate {
  const input = Math.ceil(askedCharacters / TOKEN_CHARACTERS);
  const output = Math.ceil(text.length / TOKEN_CHARACTERS);
  const tokens = input + output;
  if (!pricing) return { tokens };
  return { tokens, cost: { amount: String((input * pricing.input + output * pricing.output) / PRICED_TOKENS) } };
}
