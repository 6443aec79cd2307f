import { timestamp } from '../../base/clock.ts';
import type { Clock } from '../../contracts/clock.ts';
import type { Logger, RequestContext } from '../../contracts/context.ts';
import { type ExecutionRow, type ExecutionStatus, isEndedStatus, type UsageDimensions } from '../../contracts/rows.ts';
import type { Changes, Storage } from '../../contracts/storage.ts';
import type { Attributes } from '../../contracts/telemetry.ts';
import type { TenantId } from '../../contracts/tenant.ts';
import { executionEnded } from '../../events/webhook-event.ts';
import type { WebhookOutbox } from '../../events/webhook-outbox.ts';
import type { Measuring } from '../../telemetry/measuring.ts';
import { errorTypeOf } from '../../telemetry/model-measures.ts';
import { noUsage, type UsageMeter } from '../../usage/usage-ledger.ts';
import type { FinishedExecution } from '../finish-execution.ts';
import { hasEnded } from './execution-states.ts';
import type { InstanceLease } from './instance-lease.ts';
import { type RunParts, type RunRequest, runExecution } from './run-execution.ts';
import { type RunningExecution, RunningExecutions } from './running-executions.ts';

export interface EngineParts {
  readonly run: RunParts;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly instance: InstanceLease;
  /** Told of every run. */
  readonly meter: UsageMeter;
  /** The same. Default: nothing is measured. */
  readonly measuring?: Measuring;
  /** Absent: webhooks are told nothing. */
  readonly outbox?: WebhookOutbox;
}

const cancellation = { code: 'cancelled', message: 'The execution was cancelled' };

/**
 * Runs executions on behalf of this instance. Every write names the revision that this process knows of the row, so an
 * execution that somebody else has ended stays as it is.
 */
export class ExecutionEngine {
  readonly parts: EngineParts;
  readonly running = new RunningExecutions();

  constructor(parts: EngineParts) {
    this.parts = parts;
  }

  /** Register a run; `end` of what this returns has to be called. */
  open(id: string, context: RequestContext, attempt = 1): RunningExecution {
    return this.running.open(id, context, this.parts.clock.monotonic(), attempt);
  }

  /** The fields of an execution that this instance runs. */
  async ownership(): Promise<Pick<ExecutionRow, 'status' | 'owner'>> {
    const { instance } = this.parts;
    await instance.ensure();
    return { status: 'running', owner: instance.id };
  }

  /** Take an execution out of the queue. Undefined where it is not there any more. */
  async start(tenant: TenantId, row: ExecutionRow): Promise<ExecutionRow | undefined> {
    const set = { ...(await this.ownership()), attempt: (row.attempt ?? 0) + 1 };
    const { id, revision } = row;
    const write = { update: 'executions', id, set, ifRevision: revision } as const;
    const { done } = await this.parts.storage.commit(tenant, [write]);
    return done ? { ...row, ...set, revision: revision + 1 } : undefined;
  }

  async run(request: RunRequest): Promise<FinishedExecution> {
    const { meter, clock, measuring } = this.parts;
    await meter.ready();
    const startedAt = clock.monotonic();
    let outcome: UsageDimensions['outcome'] = 'failed';
    let code = '';
    try {
      const work = () => runExecution(this.parts.run, request);
      const finished = await (measuring ? measuring.span('execute function', spanOf(request), work) : work());
      outcome = endOf(finished.changes.status);
      code = errorCodeOf(finished.changes.error);
      return finished;
    } catch (error) {
      code = errorTypeOf(error);
      throw error;
    } finally {
      const durationMs = clock.monotonic() - startedAt;
      const call = { kind: 'execution', functionId: request.source.id, model: '', outcome } as const;
      const runner = request.source.code === '' ? 'model' : 'code';
      measuring?.record('patchbay.execution.duration', durationMs / 1_000, { outcome, runner });
      if (outcome !== 'completed') measuring?.count('patchbay.execution.failures', 1, { code, runner });
      meter.record(request.run.context, { ...call, usage: noUsage, costNanoUsd: null, durationMs });
    }
  }

  /** Write the end of an execution; the row as it is then, whoever ended it. */
  async close(tenant: TenantId, started: ExecutionRow, changes: Changes<'executions'>): Promise<ExecutionRow> {
    const set = { error: null, ...changes, owner: null, completedAt: timestamp(this.parts.clock) };
    return await this.#write(tenant, started, set);
  }

  /** Write that an execution was cancelled which no run of this process is to end; the row as it is then. */
  async cancel(tenant: TenantId, row: ExecutionRow): Promise<ExecutionRow> {
    const completedAt = timestamp(this.parts.clock);
    return await this.#commit(tenant, row, { status: 'cancelled', error: cancellation, owner: null, completedAt });
  }

  /** Put an execution back into the queue. False where somebody else has ended it. */
  async requeue(tenant: TenantId, started: ExecutionRow): Promise<boolean> {
    return (await this.#write(tenant, started, { status: 'queued', owner: null })).status === 'queued';
  }

  /** Write what could not be written while the storage was away. */
  async writeKept(): Promise<void> {
    await this.running.writeKept(({ tenant, started, set }) => this.#commit(tenant, started, set));
  }

  async #write(tenant: TenantId, started: ExecutionRow, set: Changes<'executions'>): Promise<ExecutionRow> {
    try {
      return await this.#commit(tenant, started, set);
    } catch (error) {
      this.parts.logger.error('an execution could not be closed; it is retried', { executionId: started.id, error });
      this.running.keep({ tenant, started, set });
      throw error;
    }
  }

  async #commit(tenant: TenantId, started: ExecutionRow, set: Changes<'executions'>): Promise<ExecutionRow> {
    const { storage, outbox } = this.parts;
    const { id, revision } = started;
    const after = { ...started, ...set, revision: revision + 1 };
    const told = outbox && hasEnded(after) ? await outbox.writes(tenant, [executionEnded(after)]) : [];
    const update = { update: 'executions', id, set, ifRevision: revision } as const;
    const { done } = await storage.commit(tenant, [update, ...told]);
    if (done && told.length > 0) outbox?.notify();
    if (done) return after;
    const row = await storage.get(tenant, 'executions', id);
    return row ?? { ...started, ...set };
  }
}

function spanOf({ source, started }: RunRequest): Attributes {
  return {
    'patchbay.function.id': source.id,
    'patchbay.function.name': source.name,
    'patchbay.function.version': source.revision,
    'patchbay.execution.id': started.id,
  };
}

/** A code of ours, or of the executor's contract: never one that the code of a function makes up. */
function errorCodeOf(error: ExecutionRow['error'] | undefined): string {
  return typeof error?.['code'] === 'string' ? error['code'] : '';
}

/** How a run ended. One that goes back into the queue was interrupted. */
function endOf(status: ExecutionStatus): UsageDimensions['outcome'] {
  return isEndedStatus(status) ? status : 'interrupted';
}
