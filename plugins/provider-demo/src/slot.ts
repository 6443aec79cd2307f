import type { JsonValue, Schema, SchemaType } from '@patchbay/core/plugin';
import type { Material } from './material.ts';
import { termsOf } from './words.ts';

/** A place in the output that needs a value. */
export interface Slot {
  readonly schema: Schema;
  /** Name of the property; for items, that of the array. */
  readonly name: string;
  /** JSON Pointer of the place. */
  readonly pointer: string;
}

/** A value for a slot. */
export interface Filling {
  readonly value: JsonValue;
  /** Whether the value comes from the text, or the schema fixes it. */
  readonly found: boolean;
  /** Pointers of values that are there only because the schema requires one. */
  readonly placeholders: readonly string[];
}

/** State of filling one schema. */
export interface Run {
  readonly material: Material;
  /** Values already used as JSON; other slots prefer unused ones. */
  readonly taken: Set<string>;
  /** Charge the budget of the schema; false when it is exhausted. */
  spend(cost: number): boolean;
}

/** The terms by which a slot describes itself. */
export function hintOf({ name, schema }: Slot): readonly string[] {
  return termsOf(`${name} ${schema.title ?? ''} ${schema.description ?? ''}`);
}

/** The allowed types; without `type`, the one that the other keywords imply. */
export function typesOf({ type, properties, required, items }: Schema): readonly SchemaType[] {
  if (type !== undefined) return [type].flat() as SchemaType[];
  if (properties || required) return ['object'];
  return items ? ['array'] : ['string'];
}
