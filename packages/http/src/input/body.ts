import { hash } from 'node:crypto';
import { checkJson, PatchbayError, readJson } from '@patchbay/core';
import type { IncomingRequest, ReceivedBody } from '../incoming-request.ts';
import type { JsonDocument } from '../service-types.ts';

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

const algorithms: ReadonlyMap<string, string> = new Map([
  ['sha-256', 'sha256'],
  ['sha-512', 'sha512'],
]);
const member = /^([a-z][\w.*-]*)=:([A-Za-z0-9+/]+={0,2}):$/;

/**
 * Compare a body with its `Content-Digest` (RFC 9530), so that an authenticator whose signature covers that header has
 * checked the body, which it does not see.
 *
 * @throws PatchbayError `invalid_request` for another body, and for a digest that cannot be compared.
 */
export function checkContentDigest(header: string | undefined, body: ReceivedBody): void {
  if (header === undefined) return;
  if (!('bytes' in body)) {
    throw new PatchbayError('invalid_request', 'Content-Digest cannot be checked: the host parses bodies first');
  }
  const digests = header.split(',').flatMap((text) => {
    const [, name = '', digest] = member.exec(text.trim()) ?? [];
    const algorithm = algorithms.get(name);
    return algorithm === undefined ? [] : [{ algorithm, digest }];
  });
  if (digests.length === 0 || digests.length > algorithms.size) {
    throw new PatchbayError('invalid_request', 'Content-Digest must have sha-256 or sha-512, as in sha-256=:…:');
  }
  for (const { algorithm, digest } of digests) {
    if (hash(algorithm, body.bytes, 'base64') === digest) continue;
    throw new PatchbayError('invalid_request', 'the body is not the one that Content-Digest describes');
  }
}

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
async function checkParsed(value: unknown): Promise<JsonDocument> {
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
