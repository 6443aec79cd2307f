import type { JsonValue } from '@patchbay/core/plugin';
import { overlap, termsOf } from '../text/words.ts';
import { plainName } from './named-values.ts';
import { type Filling, found, placeholder, type Run, type Slot } from './slot.ts';

/** A word that stands right behind the slot's name counts for more than one anywhere in the text. */
const NAMED_WEIGHT = 10;

/** The values of an enum, those whose words are in the text first, and the others in the schema's order. */
export function choiceCandidates(slot: Slot, values: readonly JsonValue[], run: Run): readonly Filling[] {
  const { terms, numbers, named } = run.material;
  const underName = new Set(termsOf(JSON.stringify(named.get(plainName(slot.name)) ?? [])));
  const scoreOf = (value: JsonValue): number => {
    if (typeof value === 'number') return numbers.some((number) => number.value === value) ? 1 : 0;
    if (typeof value !== 'string') return 0;
    const words = termsOf(value);
    // Of two values with one word in the text, the one that has no other words is nearer.
    return words.length === 0 ? 0 : (overlap(words, terms) + NAMED_WEIGHT * overlap(words, underName)) / words.length;
  };
  return values
    .map((value) => ({ value, score: scoreOf(value) }))
    .sort((one, other) => other.score - one.score)
    .map(({ value, score }) => (score > 0 ? found(value) : placeholder(value, slot)));
}

const negations = /\b(?:not|no|non|never|without|don't|isn't)[\s-]+(?:\w+[\s-]+)?$/i;

/** True where the slot's name is in the text, false where it is negated there or missing. */
export function* booleanCandidates(slot: Slot, run: Run): Iterable<Filling> {
  const { text, terms } = run.material;
  const mentioned = termsOf(slot.name).filter((term) => terms.has(term));
  if (mentioned.length > 0) {
    const place = text.toLowerCase().indexOf(mentioned[0] as string);
    yield found(place < 0 || !negations.test(text.slice(Math.max(0, place - 40), place)));
  }
  yield placeholder(false, slot);
  yield placeholder(true, slot);
}
