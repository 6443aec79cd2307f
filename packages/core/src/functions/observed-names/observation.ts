import { createHash } from 'node:crypto';
import { base32 } from '../../base/type-id.ts';
import type { JsonObject } from '../../contracts/json.ts';
import type { Schema } from '../../contracts/json-schema.ts';
import type { ObservedNameRow } from '../../contracts/rows.ts';
import type { TenantId } from '../../contracts/tenant.ts';
import { mergeInputs, observeInput } from './observed-input.ts';

/** A call of a name that no function has. */
export interface UnknownCall {
  readonly name: string;
  readonly input: JsonObject;
  /** What the call declared. */
  readonly output: Schema | undefined;
  readonly refused: boolean;
}

/** What is known of some calls of one name. */
export interface Observation extends Pick<ObservedNameRow, 'name' | 'count' | 'refused' | 'input'> {
  readonly firstSeenAt: string;
  readonly lastSeenAt: string;
  /** As text, whose size is known. */
  readonly output: string | undefined;
}

/** Characters of an output schema that is kept. */
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

/** Two lots of calls of one name, taken together: other processes, and a storage that was away, mix up their order. */
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
  const hash = createHash('sha256')
    .update(JSON.stringify([tenant, name]))
    .digest();
  return `observed_name_${base32(hash.subarray(0, 16))}`;
}

/** What is stored of a name, with what was seen since. */
export function observedRow(id: string, stored: ObservedNameRow | undefined, seen: Observation): ObservedNameRow {
  const output = stored?.output ? JSON.stringify(stored.output) : undefined;
  const { output: text, ...rest } = stored ? merge({ ...stored, output }, seen) : seen;
  return {
    id,
    revision: (stored?.revision ?? 0) + 1,
    name: rest.name,
    count: rest.count,
    refused: rest.refused,
    firstSeenAt: rest.firstSeenAt,
    lastSeenAt: rest.lastSeenAt,
    input: rest.input,
    output: text === undefined ? null : (JSON.parse(text) as Schema),
  };
}
