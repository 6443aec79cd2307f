import { createHmac, type KeyObject, randomInt, timingSafeEqual } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import {
  type AddressFilter,
  type Clock,
  createAddressFilter,
  isGrantedScope,
  type KeyIssuer,
  PatchbayError,
  type Principal,
} from '@patchbay/core/plugin';
import type { ApiKeyRow, Storage } from '@patchbay/core/storage';
import { LRUCache } from 'lru-cache';

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

/** A key as it was read, with what every request with it needs. */
export interface FoundKey {
  readonly row: ApiKeyRow;
  readonly principal: Principal;
  /** Absent: the key may be used from everywhere. */
  readonly mayComeFrom: AddressFilter | undefined;
  readonly previousUntil: number;
}

/** How long a key that was read stays in force after it was changed, in this process and in all others. */
const MAX_AGE_MS = 1_000;

/** How long a read may take if a known result can stand in for it. */
const PATIENCE_MS = 1_000;

/** How long keys that were valid keep working while the storage is unavailable. */
const OUTAGE_MS = 300_000;

interface Remembered {
  /** By the monotonic clock. */
  readonly until: number;
  readonly found: Promise<FoundKey | undefined>;
  /** When the read with the newest result began. */
  readonly seenAt: number;
  /** The result of that read, and until when it may stand in for one that fails. */
  readonly known?: { readonly key: FoundKey; readonly until: number };
}

/**
 * Find keys by their lookup id, with a cache short enough that a revoked key is rejected within a second. Ids that do
 * not exist are cached as well, and concurrent requests with one key share a single read. The cache contains the stored
 * key, never the result of a verification: the secret of every request is compared.
 *
 * While the storage is unavailable, keys that were read within the last minutes stay valid, so that requests that need no
 * storage, such as model calls, still work. Unknown keys cannot be verified then.
 */
export function createKeyLookup(storage: Storage, clock: Clock): (lookupId: string) => Promise<FoundKey | undefined> {
  // By `maxSize`, as `max` would reserve the space of all entries at every start.
  const recent = new LRUCache<string, Remembered>({ maxSize: 10_000, sizeCalculation: () => 1 });

  const read = async (lookupId: string, known: FoundKey | undefined): Promise<FoundKey | undefined> => {
    const [found] = await storage.scanAllTenants('apiKeys', { lookupId }, 1);
    if (!found) return undefined;
    const { tenant, row } = found;
    // All of it: an operator may have changed a row by hand, without a new revision.
    if (known && known.principal.tenant === tenant && isDeepStrictEqual(known.row, row)) return known;
    const { id, rateLimit, budget, ipAddresses, functions } = row;
    // A newer version of the server may have stored scopes that this one does not know.
    const scopes = row.scopes.filter(isGrantedScope);
    const limits = { ...(rateLimit && { rateLimit }), ...(budget && { budget }) };
    const end = row.expiresAt === null ? null : Date.parse(row.expiresAt);
    const isLimited = rateLimit !== null || budget !== null;
    return {
      row,
      principal: {
        id,
        kind: 'api-key',
        tenant,
        scopes,
        expiresAt: end,
        ...(functions && { functions }),
        ...(isLimited && { limits }),
      },
      mayComeFrom: ipAddresses ? createAddressFilter(ipAddresses) : undefined,
      previousUntil: row.previousUntil === null ? 0 : Date.parse(row.previousUntil),
    };
  };

  return (lookupId) => {
    const now = clock.monotonic();
    const remembered = recent.get(lookupId);
    if (remembered && remembered.until > now) return remembered.found;
    const standIn = remembered?.known && remembered.known.until > now ? remembered.known : undefined;
    const fresh = read(lookupId, standIn?.key);
    const found = standIn ? freshOrKnown(fresh, standIn.key) : fresh;
    const until = now + MAX_AGE_MS;
    const asked: Remembered = {
      until,
      found,
      seenAt: remembered?.seenAt ?? Number.NEGATIVE_INFINITY,
      ...(standIn && { known: standIn }),
    };
    recent.set(lookupId, asked);
    fresh.then(
      (key) => {
        const current = recent.get(lookupId);
        // A slow read must not restore a key that a later one found to be revoked.
        if (current && current.seenAt > now) return;
        const later = current === asked ? undefined : current;
        recent.set(lookupId, {
          until: later?.until ?? until,
          found: later?.found ?? fresh,
          seenAt: now,
          ...(key && { known: { key, until: now + OUTAGE_MS } }),
        });
      },
      // A failed read must not be served for a second, unless something stands in for it.
      () => !standIn && recent.get(lookupId) === asked && recent.delete(lookupId),
    );
    return found;
  };
}

/** Returns the fresh key, or the known one if the storage is unavailable or slow. */
async function freshOrKnown(fresh: Promise<FoundKey | undefined>, known: FoundKey): Promise<FoundKey | undefined> {
  const { promise: waited, resolve } = Promise.withResolvers<FoundKey>();
  const timer = setTimeout(() => resolve(known), PATIENCE_MS);
  try {
    return await Promise.race([fresh, waited]);
  } catch (error) {
    if (PatchbayError.is(error) && error.code === 'storage_unavailable') return known;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
