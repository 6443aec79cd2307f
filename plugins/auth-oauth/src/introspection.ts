import type { Clock } from '@patchbay/core/plugin';
import { type AskIssuer, unavailable } from './ask-issuer.ts';
import type { IssuerConfig } from './issuer-options.ts';
import type { JsonMembers } from './jwt.ts';
import { mapClaims } from './map-claims.ts';
import type { KnownToken } from './token-cache.ts';

/** Time for which the rejection of an unknown token is cached. */
const NEGATIVE_MS = 5_000;

/** Concurrent requests to one issuer. */
const MAX_CONCURRENT = 32;

export interface IntrospectionDependencies {
  readonly name: string;
  readonly config: IssuerConfig;
  readonly ask: AskIssuer;
  readonly clock: Clock;
  /** URL of the endpoint. */
  readonly endpoint: () => Promise<string>;
}

/** Asks an issuer about tokens that only the issuer can read (RFC 7662). */
export class Introspection {
  readonly #dependencies: IntrospectionDependencies;
  #running = 0;

  constructor(dependencies: IntrospectionDependencies) {
    this.#dependencies = dependencies;
  }

  /** @throws PatchbayError `authentication_unavailable` without a response. */
  async find(token: string): Promise<KnownToken> {
    if (this.#running >= MAX_CONCURRENT) throw unavailable(new Error('too many tokens are being asked about'));
    this.#running += 1;
    try {
      return this.#judge(await this.#ask(token));
    } catch (error) {
      throw unavailable(error);
    } finally {
      this.#running -= 1;
    }
  }

  async #ask(token: string): Promise<JsonMembers> {
    const { config, ask, endpoint } = this.#dependencies;
    const { clientId = '', clientSecret = '' } = config.introspection ?? {};
    // RFC 6749, section 2.3.1: both parts are form-encoded before they are joined.
    const account = [clientId, clientSecret].map(formEncoded).join(':');
    return await ask(await endpoint(), {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(account).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
      },
      body: new URLSearchParams({ token, token_type_hint: 'access_token' }).toString(),
    });
  }

  #judge(answer: JsonMembers): KnownToken {
    const { name, config, clock } = this.#dependencies;
    const now = clock.now();
    const refused = { principal: undefined, until: now + NEGATIVE_MS };
    if (answer['active'] !== true || !isFor(answer, config)) return refused;
    const { exp, nbf } = answer;
    if (typeof nbf === 'number' && nbf * 1_000 > now) return refused;
    const end = typeof exp === 'number' ? exp * 1_000 : Number.POSITIVE_INFINITY;
    const principal = end > now ? mapClaims(name, config, answer) : undefined;
    if (!principal) return refused;
    return { principal, until: Math.min(end, now + (config.introspection?.cacheSeconds ?? 0) * 1_000) };
  }
}

/**
 * Issuer and audience must be ours. An issuer may omit both (RFC 7662, section 2.2): the response comes from it anyway,
 * but without an audience, a token for any of its services would be accepted.
 */
function isFor({ iss, aud }: JsonMembers, { issuer, audience, introspection }: IssuerConfig): boolean {
  if (iss !== undefined && iss !== issuer) return false;
  if (aud === undefined) return introspection?.requireAudience === false;
  const given: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  return given.some((each) => typeof each === 'string' && audience.includes(each));
}

function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}
