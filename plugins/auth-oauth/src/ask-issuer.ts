import { type Clock, PatchbayError } from '@patchbay/core/plugin';
import type { Transport } from '@patchbay/core/provider';
import { isTrustworthy } from './issuer-options.ts';
import type { JsonMembers } from './jwt.ts';

/**
 * Sends a request to an issuer; the response is a JSON object. Each origin has its own `fetch`, which reaches no other.
 */
export type AskIssuer = (url: string, init?: RequestInit) => Promise<JsonMembers>;

const limits = { connectMs: 3_000, firstByteMs: 5_000, idleMs: 5_000, totalMs: 8_000, maxBodyBytes: 262_144 } as const;

/** Origins that are remembered: those of the issuer, its keys and its introspection. */
const MAX_ORIGINS = 8;

export function createAskIssuer(transport: Transport): AskIssuer {
  const ways = new Map<string, typeof fetch>();
  const wayTo = (url: string): typeof fetch => {
    const { origin } = new URL(url);
    let way = ways.get(origin);
    if (!way) {
      if (ways.size >= MAX_ORIGINS) ways.clear();
      way = transport.createFetch({ baseUrl: origin, ...limits });
      ways.set(origin, way);
    }
    return way;
  };
  return async (url, init) => {
    const response = await wayTo(url)(url, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`${url} answered ${response.status}`);
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonMembers;
    throw new Error(`${url} did not answer with a JSON object`);
  };
}

/** @throws PatchbayError `authentication_unavailable`: not the caller's fault; the token may be valid. */
export function unavailable(cause: unknown): PatchbayError {
  const message = 'the issuer of the token cannot be asked right now';
  return new PatchbayError('authentication_unavailable', message, { retryAfter: 5, cause });
}

const REQUESTS = 6;
const WINDOW_MS = 60_000;

/**
 * Whether another request may be sent, which is then counted: six within any minute. Unknown callers must not be able
 * to cause a flood of requests.
 */
export function createFetchBudget(clock: Clock): () => boolean {
  const times: number[] = [];
  return () => {
    const now = clock.monotonic();
    const [oldest = -Infinity] = times;
    if (times.length === REQUESTS) {
      if (now - oldest < WINDOW_MS) return false;
      times.shift();
    }
    times.push(now);
    return true;
  };
}

/**
 * Where the metadata of an issuer may be: between host and path, according to RFC 8414, and after the path, according
 * to OpenID Connect Discovery.
 */
function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
}

/**
 * Read the metadata of an issuer.
 *
 * @param mayAsk Called before each request.
 * @throws Error if it is missing, or belongs to another issuer.
 */
export async function readMetadata(issuer: string, ask: AskIssuer, mayAsk: () => boolean) {
  const failures: unknown[] = [];
  for (const url of metadataUrls(issuer)) {
    if (!mayAsk()) break;
    try {
      const found = await ask(url);
      // Without this, a user who can put a file on the host could speak for every issuer there (RFC 8414, section 6.2).
      if (found['issuer'] !== issuer) throw new Error(`${url} is the metadata of another issuer`);
      return { jwksUri: urlIn(found, 'jwks_uri'), introspectionEndpoint: urlIn(found, 'introspection_endpoint') };
    } catch (error) {
      failures.push(error);
    }
  }
  throw new AggregateError(failures, `there is no metadata of ${issuer}`);
}

function urlIn(metadata: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = metadata[name];
  if (value === undefined) return undefined;
  if (typeof value === 'string' && isTrustworthy(value)) return value;
  throw new Error(`${name} in the metadata is not an https URL`);
}
