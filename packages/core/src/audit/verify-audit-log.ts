import type { KeyObject } from 'node:crypto';
import type { AuditEntryRow } from '@patchbay/contracts/rows';
import type { Storage } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import { auditHash } from './audit-chain.ts';

/** The result of verifying the log of one tenant. */
export interface AuditReport {
  readonly tenant: TenantId;
  /** Number of valid entries, from the first one. */
  readonly verified: number;
  /** The first invalid entry. */
  readonly broken?: { readonly sequence: number; readonly id: string | undefined; readonly reason: string };
}

const PAGE = 100;

/**
 * Verify the chain of a tenant from its first entry to its current head. Later entries are ignored.
 *
 * @param keys Of the current and the previous root secrets.
 */
export async function verifyAuditLog(
  storage: Storage,
  tenant: TenantId,
  keys: readonly KeyObject[],
  signal?: AbortSignal,
): Promise<AuditReport> {
  const head = await storage.get(tenant, 'auditHeads', tenant);
  let verified = 0;
  let previousHash = '';
  let last: AuditEntryRow | undefined;
  while (verified !== head?.sequence) {
    signal?.throwIfAborted();
    const after = last && { after: { value: last.sequence, id: last.id } };
    const query = { sort: 'sequence', order: 'asc', limit: PAGE, ...after } as const;
    const { rows } = await storage.list(tenant, 'auditEntries', query);
    for (const row of rows) {
      if (verified === head?.sequence) break;
      const reason = faultOf(row, { tenant, keys, sequence: verified + 1, previousHash });
      if (reason !== undefined) return { tenant, verified, broken: { sequence: verified + 1, id: row.id, reason } };
      verified += 1;
      previousHash = row.hash;
    }
    last = rows.at(-1);
    if (rows.length < PAGE) break;
  }
  const reason = faultOfEnd(head, verified, previousHash);
  if (reason === undefined) return { tenant, verified };
  return { tenant, verified, broken: { sequence: verified + 1, id: undefined, reason } };
}

function faultOf(
  row: AuditEntryRow,
  expected: {
    readonly tenant: TenantId;
    readonly keys: readonly KeyObject[];
    readonly sequence: number;
    readonly previousHash: string;
  },
): string | undefined {
  const { tenant, keys, sequence, previousHash } = expected;
  if (row.sequence > sequence) return 'the entry is missing';
  if (row.sequence < sequence) return `there is a second entry ${row.sequence}`;
  if (row.previousHash !== previousHash) return 'the entry does not follow the one before';
  if (!keys.some((key) => auditHash(key, tenant, row) === row.hash)) return 'the entry was changed';
  return undefined;
}

function faultOfEnd(
  head: { readonly sequence: number; readonly hash: string } | undefined,
  verified: number,
  hash: string,
): string | undefined {
  if (!head) return verified > 0 ? 'the end of the log was removed' : undefined;
  if (head.sequence > verified) return 'the entry is missing';
  return head.hash === hash ? undefined : 'the end of the log was changed';
}
