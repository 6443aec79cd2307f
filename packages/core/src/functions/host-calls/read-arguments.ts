import { readJson } from '../../base/read-json.ts';
import type { JsonObject, JsonValue } from '../../contracts/json.ts';

/**
 * The arguments of a call of code, by the rule for all JSON from outside.
 *
 * @throws PatchbayError `invalid_json`, `too_deep`, `unsupported_unicode`.
 */
export async function readArguments(text: string): Promise<JsonValue> {
  return (await readJson(text, 'the document of the arguments')).value;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
