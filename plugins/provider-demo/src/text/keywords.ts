import { stopWords } from './stop-words.ts';
import { stem, wordsOf } from './words.ts';

/** The words that a text uses most, in the form in which they come first. */
export function keywordsOf(text: string): readonly string[] {
  const found = new Map<string, { word: string; count: number }>();
  // In lower case first, so that names such as JavaScript stay whole.
  for (const word of wordsOf(text.toLowerCase())) {
    if (stopWords.has(word) || word.length < 3 || /^\p{N}+$/u.test(word)) continue;
    const entry = found.get(stem(word));
    if (entry) entry.count += 1;
    else found.set(stem(word), { word, count: 1 });
  }
  return [...found.values()].sort((one, other) => other.count - one.count).map(({ word }) => word);
}
