import type { Schema } from '@patchbay/core/plugin';
import { type Filling, found, hintOf, placeholder, type Run, type Slot, untakenFirst } from './slot.ts';

/** How many multiples of `multipleOf` are tried: few of those of 0.1 are exact. */
const MULTIPLES = 50;

/** The numbers of the text, those with the slot's words around them first; then some within the bounds. */
export function* numberCandidates(slot: Slot, run: Run): Iterable<Filling> {
  const hint = hintOf(slot);
  const ranked = run.material.numbers
    .map(({ value, near }) => ({ value, score: nearness(hint, near) }))
    .sort((one, other) => other.score - one.score);
  const named = ranked.filter(({ score }) => score > 0).map(({ value }) => value);
  const others = ranked.filter(({ score }) => score === 0).map(({ value }) => value);
  for (const value of [...named, ...untakenFirst(others, run)]) yield found(value);
  for (const value of withinBounds(slot.schema)) yield placeholder(value, slot);
}

function nearness(hint: readonly string[], near: ReadonlyMap<string, number>): number {
  return [...new Set(hint)].reduce((sum, term) => sum + (near.get(term) ?? 0), 0);
}

function* withinBounds(schema: Schema): Iterable<number> {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const low = Math.max(minimum ?? Number.NEGATIVE_INFINITY, exclusiveMinimum ?? Number.NEGATIVE_INFINITY);
  const high = Math.min(maximum ?? Number.POSITIVE_INFINITY, exclusiveMaximum ?? Number.POSITIVE_INFINITY);
  yield 0;
  for (const bound of [low, high].filter(Number.isFinite)) {
    yield* [bound, Math.ceil(bound), Math.floor(bound), Math.ceil(bound) + 1, Math.floor(bound) - 1];
  }
  if (Number.isFinite(low) && Number.isFinite(high)) yield low / 2 + high / 2;
  // Where the bounds are next to each other, or so large that adding 1 changes nothing.
  if (Number.isFinite(low)) yield low + Math.abs(low) * 2 ** -50;
  if (Number.isFinite(high)) yield high - Math.abs(high) * 2 ** -50;
  if (multipleOf === undefined) return;
  const start = Number.isFinite(low) ? low : high;
  const step = Number.isFinite(low) ? 1 : -1;
  if (!Number.isFinite(start)) return;
  const first = step > 0 ? Math.ceil(start / multipleOf) : Math.floor(start / multipleOf);
  for (let index = 0; index < MULTIPLES; index += 1) yield (first + index * step) * multipleOf;
}
