import { PatchbayError } from '../contracts/errors.ts';
import type { JsonObject } from '../contracts/json.ts';
import { fieldsOf } from './json-fields.ts';

/**
 * The arguments of a tool call, which vendors send as JSON text or as an object. No text at all is a call without
 * arguments.
 *
 * @throws PatchbayError `function_call_invalid` for everything else: the upstream works, and its model can be told what
 *   was wrong with the call.
 */
export function readToolArguments(value: unknown): JsonObject {
  const parsed = fieldsOf(typeof value === 'string' ? parseJson(value === '' ? '{}' : value) : value);
  if (!parsed)
    throw new PatchbayError('function_call_invalid', 'a function was called with arguments that are no JSON object');
  return parsed as JsonObject;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
