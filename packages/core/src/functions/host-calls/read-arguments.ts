import { hasUnsupportedUnicode, isDeeperThan, MAX_JSON_DEPTH } from '../../base/json-text.ts';
import { PatchbayError } from '../../contracts/errors.ts';
import type { JsonObject, JsonValue } from '../../contracts/json.ts';

/**
 * What code sent with a call, held to what the body of a request is held to.
 *
 * @throws PatchbayError `invalid_json`, `too_deep`, `unsupported_unicode`.
 */
export function readArguments(text: string): JsonValue {
  if (isDeeperThan(text, MAX_JSON_DEPTH)) {
    throw new PatchbayError('too_deep', `the arguments nest more than ${MAX_JSON_DEPTH} levels deep`);
  }
  const value = parse(text);
  if (hasUnsupportedUnicode(text)) {
    throw new PatchbayError('unsupported_unicode', 'the arguments have a NUL character or a lone surrogate');
  }
  if (!isFiniteJson(value)) {
    throw new PatchbayError('invalid_json', 'the arguments have a number that is too large for a double');
  }
  return value;
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw new PatchbayError('invalid_json', 'the arguments are no JSON', { cause });
  }
}

/** Whether every number is one: `1e999` is none, and what is set aside for it could never be given back. */
function isFiniteJson(value: JsonValue): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(isFiniteJson);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
