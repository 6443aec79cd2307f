import { checkJson, PatchbayError, readJson } from '@patchbay/core';
import type { JsonDocument } from '../service-types.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parse a body. A byte order mark is skipped.
 *
 * @throws PatchbayError `invalid_json`, `too_deep`, `unsupported_unicode`.
 */
export async function parseJson(bytes: Uint8Array): Promise<JsonDocument> {
  return await readJson(decode(bytes));
}

/** The same bounds for a body that a parser of the host has read. */
export async function checkParsed(value: unknown): Promise<JsonDocument> {
  return await checkJson(value);
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new PatchbayError('invalid_json', 'the body is not valid UTF-8', { cause });
  }
}

/** A JSON Pointer (RFC 6901) one step further. */
export function pointerTo(pointer: string, key: string): string {
  return `${pointer}/${key.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
