import { type Authenticator, PatchbayError, type Principal } from '@patchbay/core/plugin';
import { createIssuer, type IssuerDependencies } from './issuer.ts';
import type { IssuerConfig } from './issuer-options.ts';
import { readJwt } from './jwt.ts';
import { TokenCache } from './token-cache.ts';

export interface OauthAuthenticatorOptions extends IssuerDependencies {
  /** Issuers by name. */
  readonly issuers: Readonly<Record<string, IssuerConfig>>;
}

/** Number of cached tokens of each form. */
const MAX_KNOWN = 10_000;

/** @throws PatchbayError `config_invalid`. */
export function createOauthAuthenticator(options: OauthAuthenticatorOptions): Authenticator {
  const { clock, logger } = options;
  const issuers = Object.entries(options.issuers).map(([name, config]) => createIssuer(name, config, options));
  const byIss = new Map(issuers.map((issuer) => [issuer.iss, issuer]));
  if (byIss.size < issuers.length) {
    throw new PatchbayError(
      'config_invalid',
      'two issuers have the same `issuer`, so their tokens cannot be distinguished',
    );
  }
  const verified = new TokenCache(clock, MAX_KNOWN);
  // One per issuer: responses of issuers about a token are independent.
  const asked = new Map(
    issuers.flatMap(({ introspection }) =>
      introspection ? [[introspection, new TokenCache(clock, MAX_KNOWN)] as const] : [],
    ),
  );

  const ofJwt = async (token: string): Promise<Principal | undefined> => {
    const known = await verified.get(token, async () => {
      const jwt = readJwt(token);
      const issuer = byIss.get(String(jwt?.claims['iss']));
      // Not cached: it costs nothing to find out again.
      return jwt && issuer ? await issuer.verify(token, jwt) : { principal: undefined, until: 0 };
    });
    return known.principal;
  };

  const ofOpaque = async (token: string): Promise<Principal | undefined> => {
    const failures: unknown[] = [];
    for (const [introspection, answers] of asked) {
      try {
        const known = await answers.get(token, () => introspection.find(token));
        if (known?.principal) return known.principal;
      } catch (error) {
        // Another issuer may know it.
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return undefined;
  };

  return {
    tokenIssuers: issuersByAudience(Object.values(options.issuers)),

    async start() {
      // Not awaited: an issuer that is down must not keep the server down.
      for (const { keys } of issuers) void keys.refresh();
    },

    async health() {
      const silent = issuers.filter(({ keys, introspection }) => !keys.isUsable && !introspection);
      if (silent.length === 0) return { status: 'pass' };
      logger.debug('issuers without keys', { issuers: silent.map(({ iss }) => iss) });
      return { status: 'warn', detail: 'the signing keys of an issuer could not be fetched' };
    },

    async authenticate({ token }) {
      if (token.startsWith('pbk_')) return undefined;
      return token.split('.').length === 3 ? await ofJwt(token) : await ofOpaque(token);
    },
  };
}

function issuersByAudience(issuers: readonly IssuerConfig[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const { issuer, audience } of issuers) {
    for (const each of audience) found.set(each, [...(found.get(each) ?? []), issuer]);
  }
  return found;
}
