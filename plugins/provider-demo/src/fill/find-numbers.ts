import { termsOf } from '../text/words.ts';

export interface FoundNumber {
  readonly value: number;
  /** Terms of the words around it; the closer, the higher, with 1 for the next one. */
  readonly near: ReadonlyMap<string, number>;
}

/** Words before and after a number that may say what it is. */
const BEFORE = 4;
const AFTER = 2;

// Their digits are no numbers.
const otherThings =
  /[a-z][a-z0-9+.-]{0,20}:\/\/\S+|[\w.+-]{1,64}@[\w.-]+|\b\d{4}-\d\d-\d\d(?:T[\d:.Z+-]+)?|\b\d\d:\d\d(?::\d\d)?\b|\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b\d+(?:\.\d+){2,}\b/gi;
const numberOrWord = /(?<![\p{L}\p{N}.]|\p{L}-)-?\d+(?:,\d{3})*(?:\.\d+)?|[\p{L}\p{M}]+/gu;

export function findNumbers(text: string): readonly FoundNumber[] {
  const tokens = text.replace(otherThings, ' ').match(numberOrWord) ?? [];
  return tokens.flatMap((token, index) => {
    const value = /\d/.test(token) ? Number(token.replaceAll(',', '')) : Number.NaN;
    if (!Number.isFinite(value)) return [];
    const near = new Map<string, number>();
    for (let distance = BEFORE; distance > 0; distance -= 1) {
      const around = [tokens[index - distance], distance > AFTER ? undefined : tokens[index + distance]];
      for (const term of termsOf(around.join(' '))) near.set(term, 1 / distance);
    }
    return [{ value, near }];
  });
}
