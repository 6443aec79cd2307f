import type { JsonObject, JsonValue } from '../../contracts/json.ts';
import type { Schema, SchemaType } from '../../contracts/json-schema.ts';
import type { ObservedMember, ObservedNameRow } from '../../contracts/rows.ts';

type ObservedInput = ObservedNameRow['input'];

/** Members that are kept of the inputs of a name. */
export const MAX_MEMBERS = 50;

/** Longer names are more likely to be data than to be names. */
const LONGEST_NAME = 64;

/** The types of the members of one input: nothing else of it is kept. */
export function observeInput(input: JsonObject): ObservedInput {
  const names = Object.keys(input).slice(0, MAX_MEMBERS);
  return Object.fromEntries(
    names
      .filter((name) => name.length <= LONGEST_NAME && name !== '__proto__')
      .map((name) => [name, { types: [typeOf(input[name] as JsonValue)], count: 1 }]),
  );
}

/** What two lots of calls had, taken together. Members beyond the first 50 are left out. */
export function mergeInputs(one: ObservedInput, other: ObservedInput): ObservedInput {
  const merged = new Map(Object.entries(one));
  for (const [name, member] of Object.entries(other)) {
    const known = merged.get(name);
    if (known) merged.set(name, mergeMembers(known, member));
    else if (merged.size < MAX_MEMBERS) merged.set(name, member);
  }
  return Object.fromEntries(merged);
}

/** A schema that all the calls fit: a member is required where every call had it. */
export function inputSchema({ input, count }: Pick<ObservedNameRow, 'input' | 'count'>): Schema {
  const members = Object.entries(input);
  const properties = members.map(([name, { types }]): [string, Schema] => {
    const [only] = types;
    return [name, { type: types.length === 1 && only !== undefined ? only : types }];
  });
  const required = members.filter(([, member]) => member.count >= count).map(([name]) => name);
  return { type: 'object', properties: Object.fromEntries(properties), required };
}

function mergeMembers(one: ObservedMember, other: ObservedMember): ObservedMember {
  const types = new Set([...one.types, ...other.types]);
  // Every integer is a number.
  if (types.has('number')) types.delete('integer');
  return { types: [...types].sort(), count: one.count + other.count };
}

function typeOf(value: JsonValue): SchemaType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  if (type === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return type as 'string' | 'boolean' | 'object';
}
