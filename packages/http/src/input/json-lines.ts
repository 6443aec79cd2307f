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
    const document = await readLine(line, index, name);
    list.push(document.value);
    values += document.values;
    characters += line.length;
    if (characters < BYTES_AT_ONCE) continue;
    characters = 0;
    await setImmediate();
  }
  return { value: { [name]: list }, values };
}

async function readLine(line: string, index: number, name: string): Promise<JsonDocument> {
  const what = `line ${index + 1}`;
  try {
    return await readJson(line, what);
  } catch (error) {
    if (!PatchbayError.is(error)) throw error;
    const { code, errors } = error;
    const pointer = `/${name}/${index}`;
    // A line has no line breaks: its inner line is always the first one, and would be taken for that of the body.
    const message = error.message.replace(': see line 1, column ', ': see column ');
    const detail = message.startsWith(`${what} `) ? message.slice(what.length + 1) : message;
    const faults = errors.map((fault) => ({ ...fault, pointer: `${pointer}${fault.pointer}` }));
    throw new PatchbayError(code, message, {
      errors: faults.length > 0 ? faults : [{ pointer, code, detail }],
      cause: error,
    });
  }
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
