import { setImmediate } from 'node:timers/promises';
import { PatchbayError, readJson } from '@patchbay/core';
import type { IncomingRequest } from '../incoming-request.ts';
import type { JsonDocument } from '../service-types.ts';
import { BYTES_AT_ONCE, decode, readMedia, type Take } from './body.ts';

/** The media type of JSON Lines: a JSON document on each line. */
export const jsonLinesType = 'application/jsonl';

const accepted = /^application\/(?:jsonl|x-ndjson)[ \t]*(?:;|$)/i;

/** Whether the body of a request is JSON Lines. */
export function isJsonLines(request: Pick<IncomingRequest, 'header'>): boolean {
  return accepted.test(request.header('content-type') ?? '');
}

/**
 * The lines of a body, as a document with the lines in a list of this name.
 *
 * @throws PatchbayError as `readJsonBody` does; faults have the number of the line.
 */
export async function readJsonLines(
  request: IncomingRequest,
  name: string,
  limitBytes: number,
  take: Take,
): Promise<JsonDocument> {
  const body = await readMedia(request, accepted, limitBytes, take);
  if (!('bytes' in body)) {
    throw new PatchbayError('unsupported_media_type', 'the host parses bodies first: send a JSON document');
  }
  const lines = decode(body.bytes).split('\n');
  if (lines.at(-1)?.trim() === '') lines.pop();
  const list: JsonDocument['value'][] = [];
  let values = 2;
  let characters = 0;
  for (const [index, line] of lines.entries()) {
    const document = await readJson(line, `line ${index + 1}`);
    list.push(document.value);
    values += document.values;
    characters += line.length;
    if (characters < BYTES_AT_ONCE) continue;
    characters = 0;
    await setImmediate();
  }
  return { value: { [name]: list }, values };
}

/** An error with the number of the line in each fault, where the lines of the body became a list of this name. */
export function namingLines(error: PatchbayError, name: string): PatchbayError {
  const { code, message, extensions, cause, errors } = error;
  if (errors.length === 0) return error;
  const named = errors.map(({ detail, ...fault }) => {
    const [, list, index] = fault.pointer.split('/');
    return { ...fault, detail: list === name && index ? `line ${Number(index) + 1}: ${detail}` : detail };
  });
  return new PatchbayError(code, message, { errors: named, extensions, cause });
}
