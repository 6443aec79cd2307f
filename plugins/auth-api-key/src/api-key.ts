import { createHmac, type KeyObject, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { KeyIssuer } from '@patchbay/core/plugin';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** The form of an API key within a string. */
export const API_KEY = /pbk_([a-z]{1,16})_([0-9A-Za-z]{12})_([0-9A-Za-z]{32})([0-9A-Za-z]{6})/;
const WHOLE_KEY = new RegExp(`^${API_KEY.source}$`);

/** Parts of an API key: `pbk_<environment>_<lookupId>_<secret><checksum>`. */
interface ApiKeyParts {
  readonly environment: string;
  /** Public: finds the row, and is the only part that may appear in a log. */
  readonly lookupId: string;
  /** 32 characters out of 62: 190 bits. */
  readonly secret: string;
}

/** Generates an API key from the random source of the system, or a new secret for the key with this `lookupId`. */
export function generateApiKey(environment: string, lookupId = randomText(12)): { readonly key: string } & ApiKeyParts {
  const secret = randomText(32);
  const body = `pbk_${environment}_${lookupId}_${secret}`;
  return { key: body + checksum(body), environment, lookupId, secret };
}

/** Whether a token claims to be an API key of Patchbay. */
export function looksLikeApiKey(token: string): boolean {
  return token.startsWith('pbk_');
}

/** Splits a key into its parts; undefined if its checksum is wrong, which costs no read of the storage. */
export function parseApiKey(key: string): ApiKeyParts | undefined {
  const [, environment, lookupId, secret, sum] = WHOLE_KEY.exec(key) ?? [];
  if (!environment || !lookupId || !secret) return undefined;
  return sum === checksum(`pbk_${environment}_${lookupId}_${secret}`) ? { environment, lookupId, secret } : undefined;
}

/**
 * Hash that is stored in place of a secret: HMAC-SHA-256, in hex. A slow password hash would add nothing, because 190
 * random bits cannot be guessed, and would let anyone keep the server busy. Pass the pepper as a key object on hot paths:
 * from bytes the hash takes several times as long.
 */
export function hashApiKeySecret(pepper: Uint8Array | KeyObject, secret: string): string {
  return createHmac('sha256', pepper).update(secret).digest('hex');
}

/** Compares two hashes in constant time. */
export function equalHashes(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left, 'hex'), Buffer.from(right, 'hex')];
  return one.length === other.length && timingSafeEqual(one, other);
}

function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let index = 0; index < 6; index += 1) {
    digits = ALPHABET.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** Makes keys of one environment, `pbk_<environment>_…`. */
export function createKeyIssuer(pepper: KeyObject, environment: string): KeyIssuer {
  return {
    issue(lookupId) {
      const made = generateApiKey(environment, lookupId);
      return { key: made.key, lookupId: made.lookupId, secretHash: hashApiKeySecret(pepper, made.secret) };
    },
  };
}
