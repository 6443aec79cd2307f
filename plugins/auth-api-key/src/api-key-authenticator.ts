import { createSecretKey, hash, type KeyObject, timingSafeEqual } from 'node:crypto';
import {
  type Announce,
  type Authenticator,
  type Clock,
  type KeyIssuer,
  type Logger,
  operatorScopes,
  PatchbayError,
  type Principal,
  type RootSecret,
  type TenantId,
  tenantId,
} from '@patchbay/core/plugin';
import type { ApiKeyRow, Storage } from '@patchbay/core/storage';
import {
  createKeyIssuer,
  createKeyLookup,
  equalHashes,
  type FoundKey,
  hashApiKeySecret,
  looksLikeApiKey,
  parseApiKey,
} from './api-key.ts';

interface ApiKeyAuthenticatorOptions {
  readonly announce: Announce;
  readonly clock: Clock;
  readonly rootSecret: RootSecret;
  readonly storage: Storage;
  readonly logger: Logger;
  readonly bootstrapKey: string | undefined;
  readonly tenant: string;
  readonly environment: string;
}

// The characters of an Authorization header; a key with a space in it could never be presented.
const BOOTSTRAP_FORM = /^[\x21-\x7e]{32,}$/;

export function createApiKeyAuthenticator(options: ApiKeyAuthenticatorOptions): Authenticator {
  const { clock, rootSecret, storage, bootstrapKey, logger } = options;
  if (bootstrapKey && !BOOTSTRAP_FORM.test(bootstrapKey)) {
    const form = 'at least 32 characters of ASCII, without spaces';
    throw new PatchbayError('config_invalid', `the bootstrap key needs ${form}`);
  }
  const pepper = pepperOf(rootSecret);
  const oldPeppers = (rootSecret.previous ?? []).map(pepperOf);
  const tenant = tenantId(options.tenant);
  const keys = { ...createKeyIssuer(pepper, options.environment), tenant };
  const lookup = createKeyLookup(storage, clock);
  const lastUsed = createLastUsed(storage, clock, logger);
  // Compared as hashes, which have equal lengths, and in one shot: it is done for every request. As text, which
  // takes Node a quarter of the time.
  const digestOf = (token: string) => Buffer.from(hash('sha256', token), 'latin1');
  const bootstrapDigest = bootstrapKey ? digestOf(bootstrapKey) : undefined;
  const bootstrap: Principal = {
    id: 'key_bootstrap',
    kind: 'api-key',
    tenant,
    scopes: ['*', ...operatorScopes],
    expiresAt: null,
  };
  // Used for the comparison when there is no such key, so that an unknown key takes as long as a wrong one.
  const noHash = hashApiKeySecret(pepper, '');
  let hasWarned = false;
  // A mistyped key fails at its checksum. Once is enough: a caller who knows the id of a key could fill the log.
  const warnOfOtherSecret = (keyId: string): void => {
    if (hasWarned) return;
    hasWarned = true;
    logger.warn(
      'a key has the id of a stored one but not its secret: it is forged, was rotated, or the root secret was changed',
      {
        keyId,
      },
    );
  };

  const isOfOldRoot = (stored: string, secret: string): boolean =>
    oldPeppers.some((old) => equalHashes(stored, hashApiKeySecret(old, secret)));

  /** Whether the hash of a key was made with a previous root secret; from now on it uses the current one. */
  const hasOldHash = (
    { id, secretHash, revision }: ApiKeyRow,
    tenant: TenantId,
    secret: string,
    hash: string,
  ): boolean => {
    if (!isOfOldRoot(secretHash, secret)) return false;
    const write = { update: 'apiKeys', id, set: { secretHash: hash }, ifRevision: revision } as const;
    storage.commit(tenant, [write]).catch((error: unknown) => {
      logger.warn('a key could not be rehashed with the new root secret', { keyId: id, error });
    });
    return true;
  };

  /** @throws PatchbayError unless the secret is the current one, or the previous one within its grace period. */
  const checkSecret = (found: FoundKey | undefined, secret: string): FoundKey => {
    const given = hashApiKeySecret(pepper, secret);
    if (equalHashes(found?.row.secretHash ?? noHash, given) && found) return found;
    if (found && hasOldHash(found.row, found.principal.tenant, secret, given)) return found;
    const { previousHash } = found?.row ?? {};
    if (found && previousHash && (equalHashes(previousHash, given) || isOfOldRoot(previousHash, secret))) {
      if (clock.now() < found.previousUntil) return found;
      throw new PatchbayError('token_expired', 'the API key was replaced by a rotation');
    }
    if (found) warnOfOtherSecret(found.row.id);
    throw new PatchbayError('invalid_token', 'the credentials are not valid');
  };

  return {
    keys,

    async start() {
      if (bootstrapDigest) return;
      const [existing] = await storage.scanAllTenants('apiKeys', {}, 1);
      if (existing) return;
      await createFirstKey(options, keys, tenant);
      logger.info('created the first admin key');
    },

    stop: () => lastUsed.flush(),

    async authenticate({ token, remoteAddress }) {
      if (bootstrapDigest && timingSafeEqual(bootstrapDigest, digestOf(token))) return bootstrap;
      if (!looksLikeApiKey(token)) return undefined;
      const parts = parseApiKey(token);
      if (!parts) throw new PatchbayError('invalid_token', 'the credentials are not valid');
      const { row, principal, mayComeFrom } = checkSecret(await lookup(parts.lookupId), parts.secret);
      if (row.revokedAt !== null) throw new PatchbayError('key_revoked', 'the API key was revoked');
      const { expiresAt } = principal;
      if (expiresAt != null && expiresAt <= clock.now())
        throw new PatchbayError('token_expired', 'the API key has expired');
      if (mayComeFrom && !(remoteAddress !== undefined && mayComeFrom(remoteAddress))) {
        throw new PatchbayError('address_not_allowed', 'the API key may not be used from this address');
      }
      lastUsed.note(principal.tenant, row);
      return principal;
    },
  };
}

function pepperOf(rootSecret: Pick<RootSecret, 'derive'>): KeyObject {
  return createSecretKey(rootSecret.derive('api key pepper'));
}

/** Make an admin key for an empty store, and show it to the operator: the only time that it can be seen. */
async function createFirstKey(
  { announce, clock, storage }: ApiKeyAuthenticatorOptions,
  keys: KeyIssuer,
  tenant: TenantId,
): Promise<void> {
  const { key, lookupId, secretHash } = keys.issue();
  const row: ApiKeyRow = {
    // The same in every store, so that only one of two hosts that start at once creates a key.
    id: 'key_00000000000000000000000001',
    revision: 1,
    lookupId,
    name: 'First admin key',
    secretHash,
    scopes: ['*', ...operatorScopes],
    createdAt: new Date(clock.now()).toISOString(),
    createdBy: 'system',
    expiresAt: null,
    revokedAt: null,
    ipAddresses: null,
    functions: null,
    rateLimit: null,
    budget: null,
    lastUsedAt: null,
    rotatedAt: null,
    previousHash: null,
    previousUntil: null,
  };
  const result = await storage.commit(tenant, [{ insert: 'apiKeys', row }]);
  if (!result.done) return;
  try {
    announce({
      title: 'Admin API key',
      value: key,
      hint: 'Shown this once; keep it. Its holder may do everything.',
    });
  } catch (error) {
    // A key that was never shown would keep the next start from making one.
    await storage.commit(tenant, [{ delete: 'apiKeys', id: row.id }]);
    throw error;
  }
}

/** Precision of the time at which a key was last used. */
const RESOLUTION_MS = 60_000;

/** How long a use waits to be written, together with those of other keys. The first use of a key does not wait. */
const DELAY_MS = 5_000;

interface Use {
  readonly tenant: TenantId;
  readonly at: number;
  readonly written: boolean;
}

/** Records when keys were used, at most once a minute for each, without making a request wait. */
function createLastUsed(storage: Storage, clock: Clock, logger: Logger) {
  // Each key once, so there are never more than keys that were used within about a minute.
  const uses = new Map<string, Use>();
  let timer: NodeJS.Timeout | undefined;

  const write = async (id: string, { tenant, at }: Use): Promise<void> => {
    const set = { lastUsedAt: new Date(at).toISOString() };
    try {
      await storage.commit(tenant, [{ update: 'apiKeys', id, set }]);
    } catch (error) {
      logger.warn('the last use of a key could not be written', { keyId: id, error });
    }
  };

  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const due = [...uses].filter(([, { written }]) => !written);
    const oldest = clock.now() - RESOLUTION_MS;
    for (const [id, use] of uses) {
      if (use.written && use.at < oldest) uses.delete(id);
      else uses.set(id, { ...use, written: true });
    }
    await Promise.all(due.map(async ([id, use]) => await write(id, use)));
  };

  return {
    note(tenant: TenantId, { id, lastUsedAt }: ApiKeyRow): void {
      const now = clock.now();
      // The row may be outdated.
      const before = uses.get(id)?.at ?? (lastUsedAt === null ? Number.NEGATIVE_INFINITY : Date.parse(lastUsedAt));
      if (now - before < RESOLUTION_MS) return;
      uses.set(id, { tenant, at: now, written: false });
      if (lastUsedAt === null) setImmediate(() => void flush());
      else timer ??= setTimeout(() => void flush(), DELAY_MS).unref();
    },
    /** Write the pending uses. */
    flush,
  };
}
