import { timestamp } from '@patchbay/contracts/base/clock';
import type { Queue } from '@patchbay/contracts/queue';
import type { ExecutionRow } from '@patchbay/contracts/rows';
import type { Changes } from '@patchbay/contracts/storage';
import { installationTenant } from '@patchbay/contracts/tenant';
import { type ExecutionEngine, endedRow, eventsOf } from './execution-engine.ts';
import { freeSlot } from './execution-starts.ts';
import { isInstanceGone, type ProcessIdentity } from './instance-lease.ts';
import { executionJob } from './queued-executions.ts';
import { interruption } from './run-execution.ts';

interface Recovery {
  readonly engine: Pick<ExecutionEngine, 'storage' | 'clock' | 'outbox'>;
  readonly queue: Queue;
  readonly identity: ProcessIdentity;
  /** Whether an interrupted execution goes back to the queue. */
  readonly runsAgain: (row: ExecutionRow) => boolean;
}

/** How many executions were closed, and how many were requeued. */
export interface Recovered {
  readonly interrupted: number;
  readonly queued: number;
}

/** Executions read per turn of the event loop; each can have documents of several MiB. */
const BATCH = 5;

/** Instances of one installation. */
const MAX_INSTANCES = 10_000;

/**
 * How long an instance is kept after its lease. Until it renews its lease, an instance that only looks gone, because
 * this server's clock is ahead, starts more executions, and the commit of a start can reach the database after its
 * process has died. Without the row of their owner, no server would close them.
 */
const KEPT_MS = 600_000;

/**
 * Close the executions of instances that are gone, or requeue them. An instance is gone once its lease
 * has expired, or immediately if the system shows that its process is gone. Every process may do this at any time:
 * writes are conditional on the revision that was read.
 */
export async function recoverExecutions(recovery: Recovery): Promise<Recovered> {
  const { storage, clock } = recovery.engine;
  const recovered = { interrupted: 0, queued: 0 };
  for (const { row } of await storage.scanAllTenants('instances', {}, MAX_INSTANCES)) {
    if (!isInstanceGone(row, { clock, identity: recovery.identity })) continue;
    const { interrupted, queued } = await closeAll(row.id, recovery);
    recovered.interrupted += interrupted;
    recovered.queued += queued;
    if (Date.parse(row.expiresAt) + KEPT_MS > clock.now()) continue;
    await storage.commit(installationTenant, [{ delete: 'instances', id: row.id, ifRevision: row.revision }]);
  }
  return recovered;
}

/** Close executions without an owner: rows from before instances had leases. For the start, before the first run. */
export async function recoverUnowned(recovery: Recovery): Promise<Recovered> {
  return await closeAll(null, recovery);
}

async function closeAll(owner: string | null, recovery: Recovery): Promise<Recovered> {
  const { engine, queue, runsAgain } = recovery;
  const { storage, clock, outbox } = engine;
  const recovered = { interrupted: 0, queued: 0 };
  for (;;) {
    const found = await storage.scanAllTenants('executions', { status: 'running', owner }, BATCH);
    const closing = found.map(async ({ tenant, row }) => {
      const again = runsAgain(row);
      const end = { status: 'interrupted', error: interruption, owner: null, completedAt: timestamp(clock) } as const;
      const ended = endedRow({ ...row, ...end });
      const set: Changes<'executions'> = again
        ? { status: 'queued', owner: null }
        : { ...end, deadLetter: ended.deadLetter };
      const write = { update: 'executions', id: row.id, set, ifRevision: row.revision } as const;
      // Its first job is still leased to the crashed process, and may be dead itself. Duplicates do no harm.
      const along = again
        ? [queue.write(tenant, executionJob(row.id))]
        : ((await outbox?.writes(tenant, eventsOf(ended))) ?? []);
      const { done } = await storage.commit(tenant, [write, ...freeSlot(row), ...along]);
      if (done && !again && along.length > 0) outbox?.notify();
      if (done) recovered[again ? 'queued' : 'interrupted'] += 1;
    });
    await Promise.all(closing);
    if (found.length < BATCH) return recovered;
  }
}
