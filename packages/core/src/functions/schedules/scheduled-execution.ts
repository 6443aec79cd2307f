import { timestamp } from '@patchbay/contracts/base/clock';
import type { Clock } from '@patchbay/contracts/clock';
import type { Principal } from '@patchbay/contracts/context';
import type { ErrorCode } from '@patchbay/contracts/error-codes';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { Queue } from '@patchbay/contracts/queue';
import { type ExecutionRow, type FunctionRow, isEndedStatus, type ScheduleRow } from '@patchbay/contracts/rows';
import type { SchemaService } from '@patchbay/contracts/schema/schema-service';
import type { Changes, Storage, Write } from '@patchbay/contracts/storage';
import type { WebhookOutbox } from '../../events/webhook-outbox.ts';
import type { SettingsService } from '../../settings/settings-service.ts';
import { completeInput, newExecution, policyOf, requireRoom } from '../executions/admission.ts';
import { endedRow, eventsOf } from '../executions/execution-engine.ts';
import { executionJob, storedPrincipal } from '../executions/queued-executions.ts';

export interface ScheduledParts {
  readonly storage: Storage;
  readonly schemas: SchemaService;
  readonly queue: Queue;
  readonly clock: Clock;
  /** Those in force. */
  readonly settings: () => Pick<SettingsService, 'resolve'>;
  /** Absent: no event. */
  readonly outbox?: WebhookOutbox;
  /** Maximum number of queued executions per tenant. */
  readonly maxQueued: () => number;
}

interface ScheduledRun {
  readonly id: string;
  readonly schedule: ScheduleRow;
  readonly source: FunctionRow;
  /** The caller that it runs as. */
  readonly caller: Principal;
  /** The time of the schedule. Null: a caller asked for the run. */
  readonly at: string | null;
}

/** An execution, and the writes that make it. */
interface ScheduledExecution {
  readonly row: ExecutionRow;
  readonly writes: readonly Write[];
  /** The change that it makes to the schedule. */
  readonly set: Changes<'schedules'>;
}

/** Errors of a run that is recorded as failed. After all others, it is retried. */
const lasting: ReadonlySet<ErrorCode> = new Set(['input_invalid', 'concurrency_limited']);

/**
 * The execution for a time of a schedule. It gets a row even if it cannot run: because the previous one has not ended,
 * the input no longer matches, or too many executions are queued.
 *
 * @throws PatchbayError `concurrency_limited`, `input_invalid` for a run that a caller asked for.
 */
export async function scheduledExecution(parts: ScheduledParts, run: ScheduledRun): Promise<ScheduledExecution> {
  const { storage, schemas, queue, clock, settings, outbox, maxQueued } = parts;
  const { id, schedule, source, caller, at } = run;
  const { tenant } = caller;
  const { input, overlap } = schedule;
  const { lastExecutionId } = schedule;
  const last = lastExecutionId === null ? undefined : await storage.get(tenant, 'executions', lastExecutionId);
  const isRunning = last !== undefined && !isEndedStatus(last.status);
  const row: ExecutionRow = {
    ...newExecution(id, source, { caller }, clock),
    input,
    scheduleId: schedule.id,
    scheduledFor: at,
    principal: storedPrincipal(caller),
  };

  if (at !== null && overlap === 'skip' && isRunning) {
    const error = { code: 'schedule_overlap', message: 'the run before it had not ended' };
    const skipped = { ...row, status: 'cancelled', error, completedAt: timestamp(clock) } as const;
    return { row: skipped, writes: [{ insert: 'executions', row: skipped }], set: {} };
  }
  try {
    await requireRoom(storage, tenant, maxQueued());
    const { changed } = await completeInput(source, input, schemas, tenant);
    const after = overlap === 'queue' && isRunning ? last.id : null;
    const policy = await policyOf(settings(), source, { caller });
    const queued = { ...row, effectiveInput: changed, policy, after };
    const job = queue.write(tenant, executionJob(id));
    return { row: queued, writes: [{ insert: 'executions', row: queued }, job], set: { lastExecutionId: id } };
  } catch (error) {
    if (at === null || !PatchbayError.is(error) || !lasting.has(error.code)) throw error;
    const { code, message, errors } = error;
    const fault = { code, message, errors: errors.map((entry) => ({ ...entry })) };
    const failed = endedRow({ ...row, status: 'failed', error: fault, completedAt: timestamp(clock) });
    const events = (await outbox?.writes(tenant, eventsOf(failed))) ?? [];
    return { row: failed, writes: [{ insert: 'executions', row: failed }, ...events], set: {} };
  }
}
