import { createHash } from 'node:crypto';
import { hasUnsupportedUnicode, jsonLimits } from '../base/check-json.ts';
import { scanJson } from '../base/read-json.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { JsonObject } from '../contracts/json.ts';
import { fieldsOf, listOf } from './json-fields.ts';

/**
 * The vector in an upstream's answer: finite numbers, as many as the model's dimensions where these are known.
 *
 * @param fault Makes the error for anything else.
 *
 * @example
 * ```ts
 * import { type JsonFields, readEmbedding, type UpstreamClient } from '@patchbay/core/provider';
 *
 * export const vectorOf = (answer: JsonFields, { badAnswer }: UpstreamClient) =>
 *   readEmbedding(answer['embedding'], 1_024, badAnswer);
 * ```
 */
export function readEmbedding(
  value: unknown,
  dimensions: number | undefined,
  fault: (what: string) => PatchbayError,
): readonly number[] {
  const numbers = listOf(value);
  if (!numbers || numbers.length === 0) throw fault('has no vector');
  if (!numbers.every((number) => typeof number === 'number' && Number.isFinite(number))) {
    throw fault('has a vector of something else than numbers');
  }
  if (dimensions !== undefined && numbers.length !== dimensions) {
    throw fault(`has a vector of ${numbers.length} numbers, where the model has ${dimensions}`);
  }
  return numbers as readonly number[];
}

/**
 * The arguments of a tool call, which vendors send as JSON text or as an object. No text at all is a call without
 * arguments.
 *
 * @throws PatchbayError `function_call_invalid` for everything else: the upstream works, and its model can be told what
 *   was wrong with the call.
 *
 * @example
 * ```ts
 * import { readToolArguments } from '@patchbay/core/provider';
 *
 * console.log(readToolArguments('{"city": "Bern"}')['city']); // Bern
 * ```
 */
export function readToolArguments(value: unknown): JsonObject {
  if (typeof value === 'string') checkValues(value);
  const parsed = fieldsOf(typeof value === 'string' ? parseJson(value === '' ? '{}' : value) : value);
  if (!parsed) throw invalid('that are no JSON object');
  if (isDeeperThan(parsed, jsonLimits.depth)) throw invalid(`nested more than ${jsonLimits.depth} levels deep`);
  if (typeof value === 'string' && value !== '' && hasUnsupportedUnicode(value)) {
    throw invalid('that have a NUL character or a lone surrogate');
  }
  return parsed as JsonObject;
}

/** Values of arguments. Whatever reads them does so in one turn of the event loop. */
const MAX_VALUES = 20_000;

function checkValues(text: string): void {
  const { values } = scanJson(text, { depth: jsonLimits.depth, values: MAX_VALUES });
  if (values > MAX_VALUES) throw invalid(`that have more than ${MAX_VALUES} values`);
}

const invalid = (what: string) =>
  new PatchbayError('function_call_invalid', `a function was called with arguments ${what}`);

/** Of what was parsed: there need be no text. Deeper values are read without trouble, but writing them overflows the stack. */
function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * An id of a tool call in a form that every vendor takes: letters, digits, `_` and `-`, at most 40 of them.
 *
 * A conversation may go on with another vendor than the one that gave the id. What does not fit is replaced by its
 * hash, so that a call and its result keep belonging together.
 *
 * @example
 * ```ts
 * import { portableToolCallId } from '@patchbay/core/provider';
 *
 * console.log(portableToolCallId('call_1')); // call_1
 * ```
 */
export function portableToolCallId(id: string): string {
  if (/^[\w-]{1,40}$/.test(id)) return id;
  return `call_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}
