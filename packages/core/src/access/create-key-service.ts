import type { AuditActor } from '../audit/audit-event.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { timestamp } from '../base/clock.ts';
import { newId } from '../base/type-id.ts';
import type { KeyIssuer } from '../contracts/authenticator.ts';
import type { Clock } from '../contracts/clock.ts';
import type { Principal, RequestContext } from '../contracts/context.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { Limits } from '../contracts/limits.ts';
import type { ApiKeyRow } from '../contracts/rows.ts';
import type { Changes, Storage } from '../contracts/storage.ts';
import { keyCreated, keyRevoked } from '../events/webhook-event.ts';
import type { CursorCodec } from '../paging/cursor.ts';
import { listPage } from '../paging/list-page.ts';
import { hasScope } from './authorize.ts';
import { checkKeyInput, checkScopes } from './check-key-input.ts';
import { faultsBeyond, type KeyLimits, ownLimits, standardLimits } from './handed-limits.ts';
import type { KeyService } from './key-service.ts';

export interface KeyParts {
  readonly storage: Storage;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly cursors: CursorCodec;
  /** Absent: no authenticator takes keys, so none are made. */
  readonly issuer: KeyIssuer | undefined;
  /** What the config says for all keys. */
  readonly limits: Pick<Limits, 'off' | 'key'>;
}

/** How often a change is tried against others of the same key; that it was used is written down as well. */
const ATTEMPTS = 20;

export function createKeyService(parts: KeyParts): KeyService {
  const { storage, audit, clock } = parts;
  const standard = standardLimits(parts.limits);

  const issuer = (): KeyIssuer => {
    if (parts.issuer) return parts.issuer;
    throw new PatchbayError('route_not_found', 'this server takes no API keys');
  };

  const get = async (id: string, { caller }: Pick<RequestContext, 'caller'>): Promise<ApiKeyRow> => {
    const row = await storage.get(caller.tenant, 'apiKeys', id);
    if (!row) throw notFound();
    return row;
  };

  const ownOf = async (caller: Principal): Promise<KeyLimits> => {
    const row = caller.kind === 'api-key' ? await storage.get(caller.tenant, 'apiKeys', caller.id) : undefined;
    return ownLimits(caller, row);
  };

  /** Change a key; undefined from `changes` leaves it as it is. */
  const change = async (
    id: string,
    actor: AuditActor,
    action: 'key.rotated' | 'key.revoked',
    changes: (row: ApiKeyRow) => Changes<'apiKeys'> | undefined,
  ): Promise<ApiKeyRow> => {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const row = await get(id, actor);
      // Or else a caller could take over a key that may do more.
      if (!row.scopes.every((scope) => hasScope(actor.caller, scope))) {
        throw new PatchbayError('insufficient_scope', 'the key has scopes that the caller lacks');
      }
      const set = changes(row);
      if (!set) return row;
      const write = { update: 'apiKeys', id, set, ifRevision: row.revision } as const;
      const announces = action === 'key.revoked' ? { announces: keyRevoked(id) } : {};
      const result = await audit.commit(actor, [write], { action, resource: { type: 'key', id }, ...announces });
      if (result.done) return { ...row, ...set, revision: row.revision + 1 };
    }
    throw new PatchbayError('conflict', 'the key is being changed by too many requests');
  };

  return {
    get,

    list: (page, context) => listPage(parts, { collection: 'apiKeys', page }, context),

    async create(input, actor) {
      const { name, scopes } = input;
      const { caller } = actor;
      checkScopes(scopes, caller);
      const limits = checkKeyInput(input, { now: clock.now(), caller, own: await ownOf(caller), standard });
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
      const details = { name, scopes: row.scopes, expiresAt: limits.expiresAt };
      const resource = { type: 'key', id: row.id };
      const event = { action: 'key.created', resource, details, announces: keyCreated(row) } as const;
      const result = await audit.commit(actor, [{ insert: 'apiKeys', row }], event);
      if (!result.done) throw new Error(`a new id was refused: ${result.reason}`);
      return { row, key };
    },

    async rotate(id, graceSeconds, actor) {
      const { lookupId, ...limits } = await get(id, actor);
      // Who gets the new secret can use the key, with its limits.
      const own = await ownOf(actor.caller);
      if (faultsBeyond(limits, { caller: actor.caller, own, standard }).length > 0) {
        throw new PatchbayError('insufficient_scope', 'the key is limited less than the caller');
      }
      const { key, secretHash } = issuer().issue(lookupId);
      const row = await change(id, actor, 'key.rotated', (current) => {
        const now = clock.now();
        const isOver = current.expiresAt !== null && Date.parse(current.expiresAt) <= now;
        if (current.revokedAt !== null || isOver) {
          throw new PatchbayError('key_inactive', 'a key that was revoked or has expired gets no new secret');
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

    revoke: (id, actor) =>
      change(id, actor, 'key.revoked', ({ revokedAt }) =>
        revokedAt === null ? { revokedAt: timestamp(clock) } : undefined,
      ),
  };
}

function notFound(): PatchbayError {
  return new PatchbayError('key_not_found', 'there is no API key with this id');
}
