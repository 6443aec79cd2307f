import type { Schema } from '@patchbay/core/plugin';
import { fillArray } from './fill-array.ts';
import { fillObject } from './fill-object.ts';
import { fitsSchema } from './fits-schema.ts';
import type { Material } from './material.ts';
import { mergeSchemas } from './merge-schemas.ts';
import { namedCandidates } from './named-candidates.ts';
import { scalarCandidates } from './scalar-candidates.ts';
import { type Filling, found, type Run, type Slot } from './slot.ts';
import { typesOf } from './types-of.ts';

/** Alternatives within alternatives multiply; beyond this a schema counts as one that cannot be filled. */
const BUDGET = 1_000_000;
const SLOT_COST = 100;
const CANDIDATE_COST = 50;
/** Of what a text has for one slot. A long text must not use up what the other slots need. */
const MAX_TRIED = 200;

/**
 * A value that is valid against the schema, out of the material as far as something in it is near.
 *
 * @returns undefined where none was found: the schema contradicts itself, or is beyond what is understood here
 */
export function fillSchema(schema: Schema, material: Material): Filling | undefined {
  let left = BUDGET;
  const spend = (cost: number): boolean => {
    left -= cost;
    return left >= 0;
  };
  return fillSlot({ schema, name: '', pointer: '' }, { material, taken: new Set(), spend, fill: fillSlot });
}

function fillSlot(slot: Slot, run: Run): Filling | undefined {
  if (!run.spend(SLOT_COST)) return undefined;
  let fallback: Filling | undefined;
  let tried = 0;
  for (const candidate of candidates(slot, run)) {
    tried += 1;
    if (candidate.found && tried > MAX_TRIED) continue;
    if (!run.spend(CANDIDATE_COST)) return undefined;
    if (!fitsSchema(slot.schema, candidate.value)) continue;
    if (candidate.found) {
      run.taken.add(JSON.stringify(candidate.value));
      return candidate;
    }
    fallback ??= candidate;
  }
  return fallback;
}

function* candidates(slot: Slot, run: Run): Iterable<Filling> {
  const { schema } = slot;
  const types = typesOf(schema);
  yield* namedCandidates(slot, types, run);
  if (schema.default !== undefined) yield found(schema.default);
  if (types.includes('null')) yield { value: null, found: false, placeholders: [] };
  if (schema.anyOf) {
    const { anyOf, ...rest } = schema;
    for (const option of anyOf) {
      const filling = run.fill({ ...slot, schema: mergeSchemas(rest, option) }, run);
      if (filling) yield filling;
    }
    return;
  }
  yield* scalarCandidates(slot, types, run);
  for (const type of types) {
    const filling = type === 'object' ? fillObject(slot, run) : type === 'array' ? fillArray(slot, run) : undefined;
    if (filling) yield filling;
  }
}
