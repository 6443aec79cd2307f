import type { Clock } from '@patchbay/contracts/clock';
import type { RequestContext } from '@patchbay/contracts/context';
import type { AuditEntryRow, Filter } from '@patchbay/contracts/rows';
import type { RootSecret } from '@patchbay/contracts/secrets';
import type { CommitResult, Storage, Write } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import { LRUCache } from 'lru-cache';
import type { WebhookOutbox } from '../events/webhook-outbox.ts';
import type { CursorCodec } from '../paging/cursor.ts';
import { listPage, type PageRequest, type PageResult } from '../paging/list-page.ts';
import { AuditChain, auditKey } from './audit-chain.ts';
import type { AuditActor, AuditEvent } from './audit-event.ts';
import { type AuditReport, verifyAuditLog } from './verify-audit-log.ts';

/** Records changes with their callers. Entries cannot be changed or deleted. */
export interface AuditLog {
  /**
   * Commit a change together with its audit entry and its webhook events: all is stored, or
   * nothing. Accepts up to 900 writes.
   *
   * @returns what `Storage.commit` would have returned for these writes alone.
   */
  commit(actor: AuditActor, writes: readonly Write[], event: AuditEvent): Promise<CommitResult>;
  /** The entries of the caller's tenant. */
  list(
    filter: Filter<'auditEntries'>,
    page: PageRequest<'sequence'>,
    context: RequestContext,
  ): Promise<PageResult<AuditEntryRow>>;
  /** Verify the log of a tenant from its first entry to its last. @param signal Ends the verification. */
  verify(tenant: TenantId, signal?: AbortSignal): Promise<AuditReport>;
}

export interface AuditDependencies {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly rootSecret: RootSecret;
  readonly cursors: CursorCodec;
  /** Absent: no event. */
  readonly outbox?: WebhookOutbox;
}

/** Maximum number of tenants whose head is cached. */
const REMEMBERED = 1_000;

export function createAuditLog(parts: AuditDependencies): AuditLog {
  const { outbox } = parts;
  const { rootSecret } = parts;
  const chainParts = { storage: parts.storage, clock: parts.clock, key: auditKey(rootSecret) };
  const verifyingKeys = [rootSecret, ...(rootSecret.previous ?? [])].map(auditKey);
  // One with pending work is put back when it is requested again, or else two would append side by side; the storage
  // would refuse one of them, which only costs time.
  const chains = new LRUCache<TenantId, AuditChain>({ max: REMEMBERED });

  return {
    async commit(actor, writes, event) {
      const { tenant } = actor.caller;
      const { announces } = event;
      const told = announces && outbox ? await outbox.writes(tenant, announces) : [];
      let chain = chains.get(tenant);
      if (!chain) {
        chain = new AuditChain(tenant, chainParts);
        chains.set(tenant, chain);
      }
      // After the others, so that a refusal contains the index that the caller knows.
      const result = await chain.commit(told.length === 0 ? writes : [...writes, ...told], event, actor);
      if (result.done && told.length > 0) outbox?.notify();
      return result;
    },

    list: (where, page, context) => listPage(parts, { collection: 'auditEntries', where, page }, context),

    verify: (tenant, signal) => verifyAuditLog(parts.storage, tenant, verifyingKeys, signal),
  };
}
