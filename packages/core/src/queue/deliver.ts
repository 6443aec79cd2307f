import { joinSignals } from '../base/signals.ts';
import { newId } from '../base/type-id.ts';
import type { Clock } from '../contracts/clock.ts';
import type { Logger } from '../contracts/context.ts';
import type { ConsumeOptions, Job, JobHandler, Postponement } from '../contracts/queue.ts';
import type { JobRow } from '../contracts/rows.ts';
import type { Write } from '../contracts/storage.ts';
import type { JobLease } from './job-lease.ts';
import { jobError, timeOf } from './job-row.ts';

interface DeliveryParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly stopping: AbortSignal;
}

type Delivered = { readonly result: Postponement | undefined } | { readonly failure: unknown };

/** Hand a job to its handler, and write down what came of it. */
export async function deliver(
  lease: JobLease,
  handler: JobHandler,
  options: Required<ConsumeOptions>,
  parts: DeliveryParts,
): Promise<void> {
  const { row } = lease;
  const { clock, logger, stopping } = parts;
  // Whoever took it before died with it each time, so that it never came to count its failures.
  const spent = row.attempt > options.maxAttempts;
  const delivered = spent
    ? { failure: new Error('its consumers ended without settling it') }
    : await attempt(handler, lease, stopping);
  await lease.settle((id, ifRevision): readonly Write[] => {
    const now = clock.now();
    if ('result' in delivered) {
      if (delivered.result === undefined) return [{ delete: 'jobs', id, ifRevision }];
      const dueAt = timeOf(now + delivered.result.postponeMs);
      return [{ update: 'jobs', id, set: { dueAt, attempt: row.attempt - 1 }, ifRevision }];
    }
    const error = jobError(delivered.failure);
    if (row.attempt < options.maxAttempts) {
      const dueAt = timeOf(now + options.backoffMs(row.attempt, delivered.failure));
      return [{ update: 'jobs', id, set: { dueAt, error }, ifRevision }];
    }
    logger.error('a job is dead', { topic: row.topic, jobId: id, attempts: row.attempt, error: delivered.failure });
    return bury({ ...row, attempt: options.maxAttempts, error, dueAt: timeOf(now) }, ifRevision);
  });
}

async function attempt(handler: JobHandler, lease: JobLease, stopping: AbortSignal): Promise<Delivered> {
  const { signal, release } = joinSignals(lease.signal, stopping);
  try {
    return { result: await handler(jobOf(lease, signal)) };
  } catch (failure) {
    return { failure };
  } finally {
    release();
  }
}

function jobOf({ row, tenant }: JobLease, signal: AbortSignal): Job {
  const { id, topic, payload, attempt: count, createdAt } = row;
  return { id, topic, tenant, payload, attempt: count, createdAt, signal };
}

// A dead job must not keep others with its key out, so it goes on under an id of its own.
function bury(row: JobRow, ifRevision: number): readonly Write[] {
  const { id, attempt: attempts, error, dueAt } = row;
  if (row.dedupeKey === null) {
    return [{ update: 'jobs', id, set: { state: 'dead', attempt: attempts, error, dueAt }, ifRevision }];
  }
  return [
    { delete: 'jobs', id, ifRevision },
    { insert: 'jobs', row: { ...row, id: newId('job'), revision: 1, state: 'dead' } },
  ];
}
