import { PatchbayError } from '@patchbay/core';
import type { IncomingRequest } from '../incoming-request.ts';
import type { JsonDocument } from '../service-types.ts';
import { checkContentDigest } from './content-digest.ts';
import { checkParsed, parseJson } from './json.ts';

const json = /^application\/json[ \t]*(?:;|$)/i;
const charset = /;[ \t]*charset[ \t]*=[ \t]*"?([^\s";]*)/i;

/**
 * The JSON document of a request.
 *
 * @throws PatchbayError `unsupported_media_type`, `body_too_large`, `client_closed_request`, and what `parseJson` throws.
 */
export async function readJsonBody(request: IncomingRequest, limitBytes: number): Promise<JsonDocument> {
  checkMediaType(request);
  const body = await request.readBody(limitBytes);
  checkContentDigest(request.header('content-digest'), body);
  return 'bytes' in body ? await parseJson(body.bytes) : await checkParsed(body.parsed);
}

/** @throws PatchbayError `invalid_request`: a body where none has a meaning is how requests are smuggled. */
export async function refuseBody(request: IncomingRequest): Promise<void> {
  if (await request.hasBody()) throw new PatchbayError('invalid_request', 'this request must not have a body');
}

/** @throws PatchbayError `body_too_large`. */
export function bodyTooLarge(limitBytes: number): PatchbayError {
  return new PatchbayError('body_too_large', `at most ${limitBytes} bytes are accepted`);
}

function checkMediaType(request: IncomingRequest): void {
  const encoding = request.header('content-encoding');
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new PatchbayError('unsupported_media_type', 'send the body without Content-Encoding');
  }
  const type = request.header('content-type');
  if (type === 'application/json') return;
  if (type === undefined || !json.test(type)) {
    throw new PatchbayError('unsupported_media_type', 'send the body as Content-Type: application/json');
  }
  const [, name] = charset.exec(type) ?? [];
  if (name !== undefined && name.toLowerCase() !== 'utf-8' && name.toLowerCase() !== 'utf8') {
    throw new PatchbayError('unsupported_media_type', 'the charset of the body must be utf-8');
  }
}
