import { hash } from 'node:crypto';
import { PatchbayError } from '@patchbay/core';
import type { ReceivedBody } from '../incoming-request.ts';

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
