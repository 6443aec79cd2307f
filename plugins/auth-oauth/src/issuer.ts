import type { Clock, Logger } from '@patchbay/core/plugin';
import type { Transport } from '@patchbay/core/provider';
import type { JSONWebKeySet } from 'jose';
import { createAskIssuer, createFetchBudget, readMetadata } from './ask-issuer.ts';
import { Introspection } from './introspection.ts';
import { checkIssuer, type IssuerConfig } from './issuer-options.ts';
import { CLOCK_SKEW_SECONDS, invalidToken, type UnverifiedJwt, verifyJwt } from './jwt.ts';
import { KeySet } from './key-set.ts';
import { mapClaims } from './map-claims.ts';
import type { KnownToken } from './token-cache.ts';

/** How long a JWT is not checked again. For at most this long, it remains valid after its key was removed. */
const VERIFIED_MS = 60_000;

export interface IssuerDependencies {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly logger: Logger;
}

/**
 * One issuer: finds its keys and verifies its tokens.
 *
 * @throws PatchbayError `config_invalid`.
 */
export function createIssuer(name: string, config: IssuerConfig, { clock, transport, logger }: IssuerDependencies) {
  checkIssuer(name, config);
  const { issuer: iss } = config;
  const ask = createAskIssuer(transport);
  // One each, so that reading the metadata does not use up the budget for keys.
  const mayAskForMetadata = createFetchBudget(clock);
  let metadata: ReturnType<typeof readMetadata> | undefined;
  const readOnce = () => {
    metadata ??= readMetadata(iss, ask, mayAskForMetadata).catch((error: unknown) => {
      metadata = undefined;
      throw error;
    });
    return metadata;
  };

  const keys = new KeySet({
    clock,
    logger,
    mayAsk: createFetchBudget(clock),
    async load() {
      const url = config.jwksUri ?? (await readOnce()).jwksUri;
      if (url === undefined) throw new Error(`the metadata of ${iss} has no jwks_uri`);
      try {
        return (await ask(url)) as unknown as JSONWebKeySet;
      } catch (error) {
        // It may have moved.
        metadata = undefined;
        throw error;
      }
    },
  });

  const endpoint = async (): Promise<string> => {
    const url = config.introspection?.endpoint ?? (await readOnce()).introspectionEndpoint;
    if (url === undefined) throw new Error(`the metadata of ${iss} has no introspection_endpoint`);
    return url;
  };

  return {
    iss,
    keys,
    /** Absent: it is not asked about tokens that are not JWTs. */
    introspection: config.introspection && new Introspection({ name, config, ask, clock, endpoint }),
    /** @throws PatchbayError `invalid_token`, `token_expired`, `authentication_unavailable`. */
    async verify(token: string, jwt: UnverifiedJwt): Promise<KnownToken> {
      const claims = await verifyJwt(token, jwt, keys.find, { config, clock });
      const principal = mapClaims(name, config, claims);
      if (!principal) throw invalidToken();
      const end = ((claims['exp'] as number) + CLOCK_SKEW_SECONDS) * 1_000;
      return { principal, until: Math.min(end, clock.now() + VERIFIED_MS) };
    },
  };
}
