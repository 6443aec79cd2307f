import { timestamp } from '../../base/clock.ts';
import type { Clock } from '../../contracts/clock.ts';
import type { Queue } from '../../contracts/queue.ts';
import type { ExecutionRow } from '../../contracts/rows.ts';
import type { Changes, Storage } from '../../contracts/storage.ts';
import { installationTenant } from '../../contracts/tenant.ts';
import { executionEnded } from '../../events/webhook-event.ts';
import type { WebhookOutbox } from '../../events/webhook-outbox.ts';
import { executionJob } from './execution-job.ts';
import { interruption } from './execution-states.ts';
import { isInstanceGone } from './is-instance-gone.ts';
import type { ProcessIdentity } from './process-identity.ts';

export interface RecoveryParts {
  readonly storage: Storage;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly identity: ProcessIdentity;
  /** Whether an execution that was cut off goes back to the queue. */
  readonly runsAgain: (row: ExecutionRow) => boolean;
  /** Absent: webhooks are told nothing. */
  readonly outbox?: WebhookOutbox | undefined;
}

/** What was found and dealt with. */
export interface Recovered {
  readonly interrupted: number;
  readonly queued: number;
}

/** How many are read at once; each can have documents of some MiB. */
const BATCH = 100;

/** Instances of one installation. */
const MAX_INSTANCES = 10_000;

/**
 * Close the executions of instances that are gone, or put them back into the queue. An instance is gone once its lease
 * has run out, or at once where the system can tell that its process is. Every process may do this at any time: what is
 * written names the revision that was read.
 */
export async function recoverExecutions(parts: RecoveryParts): Promise<Recovered> {
  const { storage } = parts;
  let recovered: Recovered = { interrupted: 0, queued: 0 };
  for (const { row } of await storage.scanAllTenants('instances', {}, MAX_INSTANCES)) {
    if (!isInstanceGone(row, parts)) continue;
    recovered = sum(recovered, await closeAll(row.id, parts));
    await storage.commit(installationTenant, [{ delete: 'instances', id: row.id, ifRevision: row.revision }]);
  }
  return recovered;
}

/** Close what runs on behalf of nobody: rows from before instances had leases. For the start, before the first run. */
export async function recoverUnowned(parts: RecoveryParts): Promise<Recovered> {
  return await closeAll(null, parts);
}

async function closeAll(owner: string | null, parts: RecoveryParts): Promise<Recovered> {
  const { storage, queue, runsAgain, outbox } = parts;
  let recovered: Recovered = { interrupted: 0, queued: 0 };
  for (;;) {
    const found = await storage.scanAllTenants('executions', { status: 'running', owner }, BATCH);
    const closing = found.map(async ({ tenant, row }) => {
      const again = runsAgain(row);
      const set = again ? ({ status: 'queued', owner: null } as const) : interrupted(parts.clock);
      const write = { update: 'executions', id: row.id, set, ifRevision: row.revision } as const;
      // Its first job is leased to the dead for a while yet, and may be dead itself. Two do no harm.
      const along = again
        ? [queue.write(tenant, executionJob(row.id))]
        : ((await outbox?.writes(tenant, [executionEnded({ ...row, ...set })])) ?? []);
      const { done } = await storage.commit(tenant, [write, ...along]);
      if (done && !again && along.length > 0) outbox?.notify();
      return done ? again : undefined;
    });
    const results = await Promise.all(closing);
    recovered = sum(recovered, {
      interrupted: results.filter((again) => again === false).length,
      queued: results.filter((again) => again === true).length,
    });
    if (found.length < BATCH) return recovered;
  }
}

function interrupted(clock: Clock): Changes<'executions'> {
  return { status: 'interrupted', error: interruption, owner: null, completedAt: timestamp(clock) };
}

function sum(one: Recovered, other: Recovered): Recovered {
  return { interrupted: one.interrupted + other.interrupted, queued: one.queued + other.queued };
}
