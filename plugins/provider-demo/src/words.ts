/** English words that say nothing about a subject. Other languages lose little: their common words only count more. */
export const stopWords: ReadonlySet<string> = new Set(
  (
    'a about after all also am an and any are as at be been before but by can could did do does for from get give had ' +
    'has have he her him his how i if in into is it its just me more most my no not of on or our out please shall she ' +
    'should so some such than that the their them then there these they this those to up us was we were what when ' +
    'where which who whom whose why will with would you your'
  ).split(' '),
);

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
