import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { timestamp } from '@patchbay/contracts/base/clock';
import { newId } from '@patchbay/contracts/base/type-id';
import type { Clock } from '@patchbay/contracts/clock';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { AuditEntryRow } from '@patchbay/contracts/rows';
import type { RootSecret } from '@patchbay/contracts/secrets';
import type { CommitResult, Storage, Write } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import type { AuditActor, AuditEvent } from './audit-event.ts';

interface Pending {
  readonly writes: readonly Write[];
  readonly event: AuditEvent;
  readonly actor: AuditActor;
  readonly settle: PromiseWithResolvers<CommitResult>;
}

/** The head of the chain; `revision` is that of the stored row, 0 if there is none yet. */
interface Head {
  readonly sequence: number;
  readonly hash: string;
  readonly revision: number;
}

export interface ChainDependencies {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly key: KeyObject;
}

/** The writes of one commit: those of pending changes with their entries, and the new head. */
const MAX_WRITES = 1_000;

/** Maximum attempts of a commit under concurrent writes of other processes. */
const ATTEMPTS = 100;

/**
 * Appends to the log of one tenant. An entry contains the hash of the previous one, so entries are created sequentially;
 * changes that arrive meanwhile share the next commit, and thereby one disk flush.
 *
 * Other processes may append as well. Each commit is conditional on the revision of the head, so of two that
 * build on the same head the storage rejects the second, which reads the head again.
 */
export class AuditChain {
  readonly #parts: ChainDependencies;
  readonly #tenant: TenantId;
  #waiting: Pending[] = [];
  #head: Head | undefined;
  #isRunning = false;

  constructor(tenant: TenantId, parts: ChainDependencies) {
    this.#tenant = tenant;
    this.#parts = parts;
  }

  commit(writes: readonly Write[], event: AuditEvent, actor: AuditActor): Promise<CommitResult> {
    const settle = Promise.withResolvers<CommitResult>();
    this.#waiting.push({ writes, event, actor, settle });
    if (!this.#isRunning) void this.#drain();
    return settle.promise;
  }

  async #drain(): Promise<void> {
    this.#isRunning = true;
    // Collects changes of the same turn.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#takeBatch();
      try {
        await this.#append(batch);
      } catch (error) {
        this.#head = undefined;
        await this.#isolate(batch, error);
      }
    }
    this.#isRunning = false;
  }

  #takeBatch(): Pending[] {
    let writes = 1;
    const fits = this.#waiting.findIndex((pending) => {
      writes += pending.writes.length + 1;
      return writes > MAX_WRITES;
    });
    return this.#waiting.splice(0, fits === -1 ? this.#waiting.length : Math.max(fits, 1));
  }

  /** Commit a batch. Changes that the storage rejects for their own reasons fail, and are removed from it. */
  async #append(batch: Pending[]): Promise<void> {
    for (let attempt = 0; batch.length > 0; ) {
      this.#head ??= await this.#readHead();
      const { writes, next } = this.#writesOf(batch, this.#head);
      const result = await this.#parts.storage.commit(this.#tenant, writes);
      if (result.done) {
        this.#head = next;
        for (const { settle } of batch) settle.resolve(result);
        return;
      }
      const refused = result.index === 0 ? undefined : ownerOf(batch, result.index);
      if (refused) {
        refused.pending.settle.resolve({ ...result, index: refused.index });
        batch.splice(batch.indexOf(refused.pending), 1);
      } else {
        this.#head = undefined;
        attempt += 1;
        if (attempt === ATTEMPTS) {
          throw new PatchbayError('overloaded', 'too many concurrent changes to this tenant', { retryAfter: 1 });
        }
      }
    }
  }

  /** A change that cannot be stored must not affect others in its batch. */
  async #isolate(batch: readonly Pending[], error: unknown): Promise<void> {
    const all = PatchbayError.is(error);
    for (const pending of batch) {
      const failure = all || batch.length === 1 ? error : await this.#append([pending]).catch((own: unknown) => own);
      if (failure !== undefined) pending.settle.reject(failure);
    }
  }

  async #readHead(): Promise<Head> {
    const { storage } = this.#parts;
    const row = await storage.get(this.#tenant, 'auditHeads', this.#tenant);
    if (row) return row;
    // If the row was removed, continue after the last entry; a verification detects it.
    const query = { sort: 'sequence', order: 'desc', limit: 1 } as const;
    const [last] = (await storage.list(this.#tenant, 'auditEntries', query)).rows;
    return { sequence: last?.sequence ?? 0, hash: last?.hash ?? '', revision: 0 };
  }

  #writesOf(batch: readonly Pending[], head: Head): { readonly writes: readonly Write[]; readonly next: Head } {
    const writes: Write[] = [];
    let { sequence, hash } = head;
    for (const pending of batch) {
      const row = this.#entry(pending, sequence + 1, hash);
      writes.push(...pending.writes, { insert: 'auditEntries', row });
      ({ sequence, hash } = row);
    }
    const set = { sequence, hash };
    const id = this.#tenant;
    const first: Write =
      head.revision === 0
        ? { insert: 'auditHeads', row: { id, revision: 1, ...set } }
        : { update: 'auditHeads', id, set, ifRevision: head.revision };
    return { writes: [first, ...writes], next: { ...set, revision: head.revision + 1 } };
  }

  #entry({ event, actor }: Pending, sequence: number, previousHash: string): AuditEntryRow {
    const { caller, requestId = null, remoteAddress = null } = actor;
    const entry = {
      id: newId('audit'),
      revision: 1,
      sequence,
      action: event.action,
      resourceType: event.resource.type,
      resourceId: event.resource.id,
      actorId: caller.id,
      actorKind: caller.kind,
      requestId,
      address: remoteAddress,
      createdAt: timestamp(this.#parts.clock),
      details: event.details ?? {},
      previousHash,
    };
    return { ...entry, hash: auditHash(this.#parts.key, this.#tenant, entry) };
  }
}

/** The pending change that a write of the commit belongs to, and the index within it. */
function ownerOf(batch: readonly Pending[], index: number) {
  let first = 1;
  for (const pending of batch) {
    const own = index - first;
    if (own < pending.writes.length) return { pending, index: own };
    first += pending.writes.length + 1;
  }
  return undefined;
}

/** Everything covered by the hash of an entry. */
export type HashedEntry = Omit<AuditEntryRow, 'hash' | 'revision'>;

/**
 * The hash of an entry, over all its fields, the tenant and the hash of the previous entry. Keyed, so
 * that write access to the database without the root secret is not enough to forge a valid chain.
 */
export function auditHash(key: KeyObject, tenant: TenantId, entry: HashedEntry): string {
  const { id, sequence, action, resourceType, resourceId, actorId, actorKind } = entry;
  const { requestId, address, createdAt, details, previousHash } = entry;
  const what = [id, sequence, action, resourceType, resourceId, actorId, actorKind];
  const fields = [1, tenant, ...what, requestId, address, createdAt, details, previousHash];
  return createHmac('sha256', key).update(JSON.stringify(fields)).digest('hex');
}

export function auditKey(rootSecret: Pick<RootSecret, 'derive'>): KeyObject {
  return createSecretKey(rootSecret.derive('audit log'));
}
