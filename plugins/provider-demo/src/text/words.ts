import { stopWords } from './stop-words.ts';

const wordPattern = /[\p{L}\p{N}\p{M}]+/gu;
const unspacedScript = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** The words of a text in lower case. The parts of `camelCase` and `snake_case` are words of their own. */
export function wordsOf(text: string): readonly string[] {
  const spaced = text.normalize('NFKC').replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, ' ');
  return spaced.toLowerCase().match(wordPattern) ?? [];
}

/** What a text is about: the stems of its words without those that say nothing, in order. */
export function termsOf(text: string): readonly string[] {
  return wordsOf(text)
    .filter((word) => !stopWords.has(word))
    .flatMap((word) => (unspacedScript.test(word) ? pairsOf(word) : [stem(word)]));
}

/** Cuts the usual endings of English, so that `prices` and `pricing` meet. */
export function stem(word: string): string {
  if (word.length <= 3) return word;
  return word
    .replace(/(?:ies|y)$/, 'i')
    .replace(/(?:ing|ed|es|s|e)$/, '')
    .replace(/([^aeiou])\1$/, '$1');
}

/** How many different terms of the first are among the second. */
export function overlap(terms: Iterable<string>, among: ReadonlySet<string>): number {
  let count = 0;
  for (const term of new Set(terms)) if (among.has(term)) count += 1;
  return count;
}

// Scripts without spaces have no words to compare; pairs of characters do instead.
function pairsOf(word: string): readonly string[] {
  const characters = Array.from(word);
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}
