import type { PatchbayError } from '../contracts/errors.ts';
import type { JsonObject } from '../contracts/json.ts';
import { fieldsOf } from './json-fields.ts';

/**
 * The arguments of a tool call, which vendors send as JSON text or as an object. No text at all is a call without
 * arguments.
 *
 * @param fault Makes the error for arguments that are no JSON object.
 */
export function readToolArguments(value: unknown, fault: (what: string) => PatchbayError): JsonObject {
  const parsed = fieldsOf(typeof value === 'string' ? parseJson(value === '' ? '{}' : value) : value);
  if (!parsed) throw fault('calls a tool with arguments that are no JSON object');
  return parsed as JsonObject;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
