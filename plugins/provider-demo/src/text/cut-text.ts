import { estimateTokens } from '@patchbay/core/provider';

/** The beginning of a text with at most so many characters, up to the end of a word where there is one. */
export function cutToCharacters(text: string, count: number): string {
  const characters = Array.from(text);
  if (characters.length <= count) return text;
  const cut = characters.slice(0, count).join('');
  // A word that the cut divides is left out, unless it is the only one.
  const atWord = /^\s$/.test(characters[count] ?? '') ? cut : cut.replace(/\s\S*$/, '');
  return atWord.trimEnd() || cut;
}

/** The beginning of a text with at most so many tokens. */
export function cutToTokens(text: string, count: number): string {
  if (estimateTokens(text) <= count) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (estimateTokens(cutToCharacters(text, middle)) <= count) low = middle;
    else high = middle - 1;
  }
  return cutToCharacters(text, low);
}
