import { keywordsOf } from '../text/keywords.ts';
import { mostCentral } from '../text/rank-sentences.ts';
import { isHeading, type Sentence } from '../text/sentences.ts';
import { overlap, termsOf } from '../text/words.ts';
import { hintOf, type Run, type Slot, untakenFirst } from './slot.ts';
import { textHintOf } from './text-hint.ts';

const SUMMARY_SENTENCES = 2;

const quotation = /["“„«]([^"“”„«»\n]{1,500})["”“»]/g;
// Words with a capital letter, such as names of places and people.
const capitalized = /\p{Lu}[\p{L}\p{N}'’-]*(?: \p{Lu}[\p{L}\p{N}'’-]*)*/gu;
const withinSentence = /[\p{L}\p{N},;:'’)] $/u;

/** Pieces of the material that may be meant by a slot, best first. Without any, none. */
export function* phrasesFor(slot: Slot, run: Run): Iterable<string> {
  const hint = hintOf(slot);
  const { isLong, isKeyword } = textHintOf(hint);
  const { text, sentences } = run.material;
  const bodies = sentences.filter((sentence) => !isHeading(sentence));
  if (isKeyword) yield* untakenFirst(keywordsOf(text), run);
  if (isLong) {
    const summary = mostCentral(bodies, SUMMARY_SENTENCES).map((sentence) => sentence.text);
    if (summary.length > 0) yield summary.join(' ');
  } else {
    yield* untakenFirst([...shortPhrases(text)], run);
  }
  yield* untakenFirst(closest(bodies, hint), run);
}

function* shortPhrases(text: string): Iterable<string> {
  for (const [, quoted] of text.matchAll(quotation)) if (quoted) yield quoted;
  const beginnings: string[] = [];
  for (const { 0: name, index } of text.matchAll(capitalized)) {
    if (termsOf(name).length === 0) continue;
    if (withinSentence.test(text.slice(Math.max(0, index - 2), index))) yield name;
    // Every sentence begins with a capital; two of them are still a name.
    else if (name.includes(' ')) beginnings.push(name);
  }
  yield* beginnings;
}

/** Sentences that share words with the hint, nearest first; the central ones where none does. */
function closest(sentences: readonly Sentence[], hint: readonly string[]): readonly string[] {
  const ranked = sentences
    .map((sentence) => ({ sentence, score: overlap(hint, new Set(sentence.terms)) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score);
  if (ranked.length > 0) return ranked.map(({ sentence }) => sentence.text);
  return mostCentral(sentences, 1).map(({ text }) => text);
}
