import { idOfContent } from '@patchbay/contracts/base/type-id';
import type { JsonObject, JsonValue } from '@patchbay/contracts/json';
import type { Schema, SchemaType } from '@patchbay/contracts/json-schema';
import type { ObservedMember, ObservedNameRow } from '@patchbay/contracts/rows';
import type { TenantId } from '@patchbay/contracts/tenant';

/** A call of an unknown name. */
export interface UnknownCall {
  readonly name: string;
  readonly input: JsonObject;
  /** The output schema that the call declared. */
  readonly output: Schema | undefined;
  readonly refused: boolean;
}

/** A summary of some calls of one name. */
export interface Observation extends Pick<ObservedNameRow, 'name' | 'count' | 'refused' | 'input'> {
  readonly firstSeenAt: string;
  readonly lastSeenAt: string;
  /** As text, to know its size. */
  readonly output: string | undefined;
}

/** Maximum characters of a stored output schema. */
const LONGEST_OUTPUT = 8_192;

export function observe({ name, input, output, refused }: UnknownCall, at: string): Observation {
  const text = output === undefined ? undefined : JSON.stringify(output);
  return {
    name,
    count: 1,
    refused: refused ? 1 : 0,
    firstSeenAt: at,
    lastSeenAt: at,
    input: observeInput(input),
    output: text !== undefined && text.length <= LONGEST_OUTPUT ? text : undefined,
  };
}

/** Merge two summaries of one name. Their order is unknown, because of other processes and storage outages. */
export function merge(one: Observation, other: Observation): Observation {
  const [earlier, later] = one.lastSeenAt <= other.lastSeenAt ? [one, other] : [other, one];
  const begun = one.firstSeenAt <= other.firstSeenAt ? one : other;
  return {
    name: one.name,
    count: one.count + other.count,
    refused: one.refused + other.refused,
    firstSeenAt: begun.firstSeenAt,
    lastSeenAt: later.lastSeenAt,
    input: mergeInputs(one.input, other.input),
    output: later.output ?? earlier.output,
  };
}

/** One row for each name of a tenant, whichever process writes it first. */
export function observedNameId(tenant: TenantId, name: string): string {
  return idOfContent('observed_name', JSON.stringify([tenant, name]));
}

/** The row of a name, merged with later calls. */
export function observedRow(id: string, stored: ObservedNameRow | undefined, seen: Observation): ObservedNameRow {
  const output = stored?.output ? JSON.stringify(stored.output) : undefined;
  const { output: text, ...rest } = stored ? merge({ ...stored, output }, seen) : seen;
  return {
    id,
    revision: (stored?.revision ?? 0) + 1,
    ...rest,
    output: text === undefined ? null : (JSON.parse(text) as Schema),
  };
}

type ObservedInput = ObservedNameRow['input'];

/** Maximum number of recorded input members per name. */
const MAX_MEMBERS = 50;

/** Longer names are more likely to be data than to be names. */
const LONGEST_NAME = 64;

/** The types of the members of one input, without values. */
function observeInput(input: JsonObject): ObservedInput {
  const names = Object.keys(input).slice(0, MAX_MEMBERS);
  return Object.fromEntries(
    names
      .filter((name) => name.length <= LONGEST_NAME && name !== '__proto__')
      .map((name) => [name, { types: [typeOf(input[name] as JsonValue)], count: 1 }]),
  );
}

/** Merge the members of two summaries. Members beyond the first 50 are dropped. */
function mergeInputs(one: ObservedInput, other: ObservedInput): ObservedInput {
  const merged = new Map(Object.entries(one));
  for (const [name, member] of Object.entries(other)) {
    const known = merged.get(name);
    if (known) merged.set(name, mergeMembers(known, member));
    else if (merged.size < MAX_MEMBERS) merged.set(name, member);
  }
  return Object.fromEntries(merged);
}

/** A schema that matches all observed calls: a member is required if every call had it. */
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

/** The output schema for calls that declare none. */
export const undeclaredOutput: Schema = {
  type: 'object',
  properties: { result: { type: 'string', description: 'The answer of the function, as text.' } },
  required: ['result'],
};
