import type { KeyIssuer } from '@patchbay/contracts/authenticator';
import { timestamp } from '@patchbay/contracts/base/clock';
import { findRow, reachesFunction, requireAllFunctions, retryRefused } from '@patchbay/contracts/base/stored-rows';
import { newId } from '@patchbay/contracts/base/type-id';
import type { Clock } from '@patchbay/contracts/clock';
import type { Principal, RequestContext } from '@patchbay/contracts/context';
import { type ErrorDetail, PatchbayError } from '@patchbay/contracts/errors';
import type { Budget, Limits, RateLimit } from '@patchbay/contracts/limits';
import type { ApiKeyRow } from '@patchbay/contracts/rows';
import type { GrantedScope } from '@patchbay/contracts/scopes';
import type { Changes, Storage } from '@patchbay/contracts/storage';
import type { AuditActor } from '../audit/audit-event.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { keyCreated, keyRevoked } from '../events/webhook-outbox.ts';
import type { CursorCodec } from '../paging/cursor.ts';
import { listPage, type PageRequest, type PageResult } from '../paging/list-page.ts';
import { hasScope } from './callers.ts';
import { type ExpiringKey, expiringKeys } from './expiring-keys.ts';
import { checkKeyInput, faultsBeyond, type KeyLimits, ownLimits, standardLimits } from './handed-limits.ts';

const DAY_MS = 86_400_000;

/** The members of a new key that its creator sets. The server sets all others. */
export interface KeyInput {
  readonly name: string;
  /** `*` is every scope but the operator's, including future ones. */
  readonly scopes: readonly GrantedScope[];
  /** Expiry. Default: that of the caller's credentials. */
  readonly expiresAt?: string | null;
  /** Allowed addresses and networks. Default: those of the caller. */
  readonly ipAddresses?: readonly string[] | null;
  /** Ids of the functions that the key reaches. Default: those of the caller. */
  readonly functions?: readonly string[] | null;
  /** Default: that of the caller. */
  readonly rateLimit?: RateLimit | null;
  /** Default: that of the caller. */
  readonly budget?: Budget | null;
}

/** A key with its secret, which is only shown once. */
export interface SecretKey {
  readonly row: ApiKeyRow;
  readonly key: string;
}

/**
 * Manages the API keys of tenants. Every method is limited to the caller's tenant. A caller cannot create or take over a key
 * with more permissions than its own.
 */
export interface KeyService {
  /**
   * @throws PatchbayError with a pointer to every violation: `insufficient_scope` if the caller lacks a scope, otherwise
   *   `invalid_request`, such as for limits beyond the caller's.
   */
  create(input: KeyInput, actor: AuditActor): Promise<SecretKey>;
  /** @throws PatchbayError `key_not_found`. */
  get(id: string, context: Pick<RequestContext, 'caller'>): Promise<ApiKeyRow>;
  list(page: PageRequest<'createdAt'>, context: Pick<RequestContext, 'caller'>): Promise<PageResult<ApiKeyRow>>;
  /**
   * The keys that are valid now and expire within the given number of days, in order of expiry. Keys created for a day
   * or less, such as those of sign-in links, are left out.
   *
   * @throws PatchbayError `insufficient_scope` for a caller that is limited to some functions.
   */
  expiring(days: number, context: Pick<RequestContext, 'caller'>): Promise<readonly ExpiringKey[]>;
  /**
   * Rotate the secret of a key. The previous secret stays valid for `graceSeconds`, 0 to 86,400; an older one is invalid
   * immediately.
   *
   * @throws PatchbayError `key_not_found`, `key_inactive`, `insufficient_scope`.
   */
  rotate(id: string, graceSeconds: number, actor: AuditActor): Promise<SecretKey>;
  /**
   * Revoke a key. Does nothing if it was already revoked.
   *
   * @throws PatchbayError `key_not_found`, `insufficient_scope`.
   */
  revoke(id: string, actor: AuditActor): Promise<ApiKeyRow>;
}

interface KeyServiceDependencies {
  readonly storage: Storage;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly cursors: CursorCodec;
  /** Absent: no authenticator accepts keys, so none can be created. */
  readonly issuer: KeyIssuer | undefined;
  readonly limits: Pick<Limits, 'off' | 'key'>;
  /**
   * Called after a key was revoked, before the caller receives the response. Must not reject. Default: nothing is done.
   */
  readonly onRevoked?: () => Promise<void>;
}

export function createKeyService(dependencies: KeyServiceDependencies): KeyService {
  const { storage, audit, clock } = dependencies;
  const standard = standardLimits(dependencies.limits);

  const issuer = (): KeyIssuer => {
    if (dependencies.issuer) return dependencies.issuer;
    throw new PatchbayError('route_not_found', 'this server does not support API keys');
  };

  const get: KeyService['get'] = async (id, context) => {
    const row = await findRow(storage, 'apiKeys', id, context);
    if (!row.functions?.every((each) => reachesFunction(context.caller, each))) requireAllFunctions(context.caller);
    return row;
  };

  const ownOf = async (caller: Principal): Promise<KeyLimits> => {
    const row = caller.kind === 'api-key' ? await storage.get(caller.tenant, 'apiKeys', caller.id) : undefined;
    return ownLimits(caller, row);
  };

  /**
   * A pointer to each function that does not exist. Those that the caller does not reach are left out: it must not learn
   * whether they exist.
   */
  const unknownFunctions = async (ids: readonly string[], caller: Principal): Promise<readonly ErrorDetail[]> => {
    const faults = await Promise.all(
      ids.map(async (id, index) => {
        if (!reachesFunction(caller, id) || (await storage.get(caller.tenant, 'functions', id))) return undefined;
        return { pointer: `/functions/${index}`, code: 'unknown', detail: 'is the id of no function' };
      }),
    );
    return faults.filter((fault) => fault !== undefined);
  };

  /** Change a key, unless `changes` returns undefined. */
  const change = async (
    id: string,
    actor: AuditActor,
    action: 'key.rotated' | 'key.revoked',
    changes: (row: ApiKeyRow) => Changes<'apiKeys'> | undefined,
  ): Promise<ApiKeyRow> =>
    await retryRefused('too many concurrent changes to the key; retry the request', async () => {
      const row = await get(id, actor);
      // Otherwise a caller could take over a key with more permissions.
      if (!row.scopes.every((scope) => hasScope(actor.caller, scope))) {
        throw new PatchbayError('insufficient_scope', 'the key has scopes that the caller lacks');
      }
      const set = changes(row);
      if (!set) return row;
      const write = { update: 'apiKeys', id, set, ifRevision: row.revision } as const;
      const announces = action === 'key.revoked' ? { announces: [keyRevoked(id)] } : {};
      const result = await audit.commit(actor, [write], { action, resource: { type: 'key', id }, ...announces });
      return result.done ? { ...row, ...set, revision: row.revision + 1 } : undefined;
    });

  return {
    get,

    async list(page, context) {
      requireAllFunctions(context.caller);
      return await listPage(dependencies, { collection: 'apiKeys', page }, context);
    },

    async expiring(days, { caller }) {
      requireAllFunctions(caller);
      const now = clock.now();
      return await expiringKeys(dependencies.storage, caller.tenant, now, now + days * DAY_MS);
    },

    async create(input, actor) {
      const { name, scopes } = input;
      const { caller } = actor;
      const limits = checkKeyInput(input, {
        now: clock.now(),
        caller,
        own: await ownOf(caller),
        standard,
        unknownFunctions: await unknownFunctions(input.functions ?? [], caller),
      });
      const { key, lookupId, secretHash } = issuer().issue();
      const row: ApiKeyRow = {
        id: newId('key'),
        revision: 1,
        lookupId,
        name,
        secretHash,
        scopes: [...new Set(scopes)],
        createdAt: timestamp(clock),
        createdBy: caller.id,
        revokedAt: null,
        ...limits,
        lastUsedAt: null,
        rotatedAt: null,
        previousHash: null,
        previousUntil: null,
      };
      const { expiresAt, functions } = limits;
      const details = { name, scopes: row.scopes, expiresAt, ...(functions && { functions }) };
      const resource = { type: 'key', id: row.id };
      const event = { action: 'key.created', resource, details, announces: [keyCreated(row)] } as const;
      const result = await audit.commit(actor, [{ insert: 'apiKeys', row }], event);
      if (!result.done) throw new Error(`a new id was refused: ${result.reason}`);
      return { row, key };
    },

    async rotate(id, graceSeconds, actor) {
      const { lookupId, ...limits } = await get(id, actor);
      // The caller can then use the key, with its limits.
      const own = await ownOf(actor.caller);
      if (faultsBeyond(limits, { caller: actor.caller, own, standard }).length > 0) {
        throw new PatchbayError('insufficient_scope', 'the limits of the key exceed those of the caller');
      }
      const { key, secretHash } = issuer().issue(lookupId);
      const row = await change(id, actor, 'key.rotated', (current) => {
        const now = clock.now();
        const isOver = current.expiresAt !== null && Date.parse(current.expiresAt) <= now;
        if (current.revokedAt !== null || isOver) {
          throw new PatchbayError('key_inactive', 'a revoked or expired key cannot be rotated');
        }
        return {
          secretHash,
          rotatedAt: timestamp(clock),
          previousHash: graceSeconds > 0 ? current.secretHash : null,
          previousUntil: graceSeconds > 0 ? new Date(now + graceSeconds * 1_000).toISOString() : null,
        };
      });
      return { row, key };
    },

    async revoke(id, actor) {
      const row = await change(id, actor, 'key.revoked', ({ revokedAt }) =>
        revokedAt === null ? { revokedAt: timestamp(clock) } : undefined,
      );
      await dependencies.onRevoked?.();
      return row;
    },
  };
}
