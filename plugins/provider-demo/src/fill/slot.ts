import type { JsonValue, Schema } from '@patchbay/core/plugin';
import { termsOf } from '../text/words.ts';
import type { Material } from './material.ts';

/** A place in the answer that needs a value. */
export interface Slot {
  readonly schema: Schema;
  /** Name of the property; that of the array for its items. */
  readonly name: string;
  /** JSON Pointer of the place. */
  readonly pointer: string;
}

/** A value for a slot. */
export interface Filling {
  readonly value: JsonValue;
  /** Whether it comes from the text or the schema says that it is the value. */
  readonly found: boolean;
  /** Places of the values that say nothing, and stand there because the schema asks for one. */
  readonly placeholders: readonly string[];
}

/** Filling one schema. */
export interface Run {
  readonly material: Material;
  /** Values that were taken from the text, which the next slots leave to the last. */
  readonly taken: Set<string>;
  /** Take from what may be spent on one schema; false where nothing is left. */
  spend(cost: number): boolean;
  fill(slot: Slot, run: Run): Filling | undefined;
}

export const found = (value: JsonValue): Filling => ({ value, found: true, placeholders: [] });

export const placeholder = (value: JsonValue, { pointer }: Slot): Filling => ({
  value,
  found: false,
  placeholders: [pointer],
});

/** What the slot says of itself. */
export function hintOf({ name, schema }: Slot): readonly string[] {
  return termsOf(`${name} ${schema.title ?? ''} ${schema.description ?? ''}`);
}

/** Those that no slot took yet come first. */
export function untakenFirst<T extends JsonValue>(values: readonly T[], { taken }: Run): readonly T[] {
  const isTaken = (value: T): boolean => taken.has(JSON.stringify(value));
  return [...values.filter((value) => !isTaken(value)), ...values.filter(isTaken)];
}
