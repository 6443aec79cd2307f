import { createSecretKey } from 'node:crypto';
import {
  type Announce,
  type Authenticator,
  type Clock,
  equalHashes,
  hashApiKeySecret,
  type Logger,
  looksLikeApiKey,
  PatchbayError,
  type Principal,
  parseApiKey,
  type RootSecret,
  type Storage,
  tenantId,
} from '@patchbay/core/plugin';
import { createFirstKey } from './first-key.ts';
import { createKeyLookup } from './key-lookup.ts';

export interface ApiKeyAuthenticatorOptions {
  readonly announce: Announce;
  readonly clock: Clock;
  readonly rootSecret: RootSecret;
  readonly storage: Storage;
  readonly logger: Logger;
  readonly bootstrapKey: string | undefined;
  readonly tenant: string;
  readonly environment: string;
}

// What an Authorization header can carry; a key with a space in it could never be presented.
const BOOTSTRAP_FORM = /^[\x21-\x7e]{32,}$/;

export function createApiKeyAuthenticator(options: ApiKeyAuthenticatorOptions): Authenticator {
  const { clock, rootSecret, storage, bootstrapKey, logger } = options;
  if (bootstrapKey && !BOOTSTRAP_FORM.test(bootstrapKey)) {
    const form = 'at least 32 characters of ASCII, without spaces';
    throw new PatchbayError('config_invalid', `the bootstrap key needs ${form}`);
  }
  const pepper = createSecretKey(rootSecret.derive('api key pepper'));
  const tenant = tenantId(options.tenant);
  const lookup = createKeyLookup(storage, clock);
  const bootstrapHash = bootstrapKey ? hashApiKeySecret(pepper, bootstrapKey) : undefined;
  const bootstrap: Principal = { id: 'key_bootstrap', kind: 'api-key', tenant, scopes: ['*'] };
  // Compared with when there is no such key, so that an unknown key takes as long as a wrong one.
  const noHash = hashApiKeySecret(pepper, '');
  let hasWarned = false;
  // A mistyped key fails at its checksum. Once is enough: whoever knows the id of a key could fill the log.
  const warnOfOtherSecret = (keyId: string): void => {
    if (hasWarned) return;
    hasWarned = true;
    logger.warn('a key has the id of a stored one but not its secret: it is forged, or the root secret was changed', {
      keyId,
    });
  };

  return {
    async start() {
      if (bootstrapHash) return;
      const [existing] = await storage.scanAllTenants('apiKeys', {}, 1);
      if (existing) return;
      await createFirstKey({ ...options, pepper, tenant });
      logger.info('made the first admin key');
    },

    async authenticate({ token }) {
      if (bootstrapHash && equalHashes(bootstrapHash, hashApiKeySecret(pepper, token))) return bootstrap;
      if (!looksLikeApiKey(token)) return undefined;
      const parts = parseApiKey(token);
      if (!parts) throw new PatchbayError('invalid_token', 'the API key is not valid');
      const found = await lookup(parts.lookupId);
      const same = equalHashes(found?.row.secretHash ?? noHash, hashApiKeySecret(pepper, parts.secret));
      if (found && !same) warnOfOtherSecret(found.row.id);
      if (!found || !same) throw new PatchbayError('invalid_token', 'the API key is not valid');
      const { row } = found;
      if (row.revokedAt !== null) throw new PatchbayError('key_revoked', 'the API key was revoked');
      if (row.expiresAt !== null && Date.parse(row.expiresAt) <= clock.now()) {
        throw new PatchbayError('token_expired', 'the API key has expired');
      }
      return { id: row.id, kind: 'api-key', tenant: found.tenant, scopes: row.scopes };
    },
  };
}
