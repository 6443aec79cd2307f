import type { SchemaType } from '@patchbay/core/plugin';
import { booleanCandidates, choiceCandidates } from './choice-candidates.ts';
import { numberCandidates } from './number-candidates.ts';
import type { Filling, Run, Slot } from './slot.ts';
import { found } from './slot.ts';
import { stringCandidates } from './string-candidates.ts';

/** Values that have no values within them; best first, but not yet checked against the schema. */
export function* scalarCandidates(slot: Slot, types: readonly SchemaType[], run: Run): Iterable<Filling> {
  const { const: constant, enum: values } = slot.schema;
  if (constant !== undefined) {
    yield found(constant);
    return;
  }
  if (values) {
    yield* choiceCandidates(slot, values, run);
    return;
  }
  for (const type of types) {
    if (type === 'string') yield* stringCandidates(slot, run);
    if (type === 'number' || type === 'integer') yield* numberCandidates(slot, run);
    if (type === 'boolean') yield* booleanCandidates(slot, run);
  }
}
