import type { JsonValue, SchemaType } from '@patchbay/core/plugin';
import { plainName } from './named-values.ts';
import { type Filling, found, type Run, type Slot } from './slot.ts';

/** What the text says under the name of the slot, as it stands and as the types that the schema allows. */
export function* namedCandidates(slot: Slot, types: readonly SchemaType[], run: Run): Iterable<Filling> {
  const values = run.material.named.get(plainName(slot.name)) ?? [];
  // Of a list, the reading that goes on behind the first comma is meant.
  if (types.includes('array')) yield* values.map(itemsOf).sort(byLength).map(found);
  for (const value of values) {
    yield found(value);
    for (const type of types) {
      const read = readAs(type, value);
      if (read !== undefined && read !== value) yield found(read);
    }
  }
}

function readAs(type: SchemaType, value: JsonValue): JsonValue | undefined {
  if (type === 'string') return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
  if (typeof value !== 'string') return undefined;
  if (type === 'boolean') return booleans.get(value.toLowerCase());
  if (type === 'null') return value === 'null' ? null : undefined;
  const digits = /^-?\d[\d,]*(?:\.\d+)?(?=$|[\s%€$£])/.exec(value.replace(/^[€$£]\s*/, ''))?.[0];
  return type === 'object' || type === 'array' || digits === undefined ? undefined : Number(digits.replaceAll(',', ''));
}

function itemsOf(value: JsonValue): readonly JsonValue[] {
  if (typeof value === 'string') return value.split(/[,;]|\sand\s/).flatMap((item) => item.trim() || []);
  return Array.isArray(value) ? value : [];
}

const byLength = (one: readonly JsonValue[], other: readonly JsonValue[]): number => other.length - one.length;

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['on', true],
  ['false', false],
  ['no', false],
  ['off', false],
]);
