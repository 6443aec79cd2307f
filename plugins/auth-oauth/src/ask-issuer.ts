import { PatchbayError } from '@patchbay/core/plugin';
import type { Transport } from '@patchbay/core/provider';
import type { JsonMembers } from './strict-json.ts';

/** Asks an issuer; the answer is a JSON object. Each origin has a way out of its own, which leads nowhere else. */
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

/** @throws PatchbayError `authentication_unavailable`: not the caller's fault, and nothing is known of the token. */
export function unavailable(cause: unknown): PatchbayError {
  const message = 'the issuer of the token cannot be asked right now';
  return new PatchbayError('authentication_unavailable', message, { retryAfter: 5, cause });
}
