import { jsonTextOf } from '@patchbay/contracts/base/json-text';
import type { OpenRequestContext, Principal } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { ExecutionLimits, Executor } from '@patchbay/contracts/executor';
import type { JsonObject } from '@patchbay/contracts/json';
import type { Job, JobHandler, NewJob, Postponement } from '@patchbay/contracts/queue';
import { type ExecutionRow, type FunctionRow, isEndedStatus } from '@patchbay/contracts/rows';
import type { Changes } from '@patchbay/contracts/storage';
import type { TenantId } from '@patchbay/contracts/tenant';
import { lostItsKey } from '../../access/lost-its-key.ts';
import type { RequestLimits, Slot } from '../../limits/request-limits.ts';
import type { ExecutionOptions } from '../function-options.ts';
import { functionAtVersion } from '../prepare-function.ts';
import { limitsWithin, repeatAfterMs } from './admission.ts';
import type { ExecutionEngine, RunningExecution } from './execution-engine.ts';
import type { FinishedExecution } from './run-execution.ts';

interface QueuedDependencies {
  readonly engine: ExecutionEngine;
  /** The one in force. */
  readonly executor: () => Executor;
  readonly limits: () => ExecutionLimits;
  /** The options in force. */
  readonly options: () => ExecutionOptions;
  /** Those in force. */
  readonly requestLimits: () => Pick<RequestLimits, 'enter'>;
  /** @throws PatchbayError `shutting_down`. */
  readonly openContext: (caller: Principal) => OpenRequestContext;
}

/** When to check an execution that runs elsewhere, and may need to be taken over. */
const RUNS_ELSEWHERE_MS = 2_000;

/** An execution that waits this long is checked again: it may have been cancelled. */
const LONGEST_WAIT_MS = 60_000;

/** When to retry an execution whose caller has no free slot, or that waits for another one. Others use the consumer until then. */
const NO_SLOT_MS = 500;

/** How long an execution waits if its function does not allow it to run now. */
function waitMs({ code, retryAfter = 0 }: PatchbayError): number {
  return code === 'rate_limited' ? Math.min(LONGEST_WAIT_MS, retryAfter * 1_000) : NO_SLOT_MS;
}

const notRun = { code: 'internal_error', message: 'the function could not be run' } as const;

/** Runs queued executions. The row is authoritative; the job is only a hint. */
export function createQueuedExecutions(dependencies: QueuedDependencies): JobHandler {
  const { engine, executor, limits, options, requestLimits, openContext } = dependencies;

  return async (job) => {
    const row = await engine.storage.get(job.tenant, 'executions', executionIdOf(job));
    if (row === undefined || isEndedStatus(row.status) || row.principal === null) return undefined;
    if (row.status === 'running') return { postponeMs: RUNS_ELSEWHERE_MS };
    if (await waits(job.tenant, row)) return { postponeMs: NO_SLOT_MS };
    let context: OpenRequestContext;
    try {
      context = openContext(restoredPrincipal(job.tenant, row.principal));
    } catch {
      return { postponeMs: 0 };
    }
    const slot = enterIfFree(context.caller);
    try {
      if (slot === undefined) return { postponeMs: NO_SLOT_MS };
      return await runQueued(row, job.attempt, context);
    } finally {
      slot?.leave();
      context.close();
    }
  };

  /** Whether the previous execution has not ended. */
  async function waits(tenant: TenantId, { after }: ExecutionRow): Promise<boolean> {
    const before = after === null ? undefined : await engine.storage.get(tenant, 'executions', after);
    return before !== undefined && !isEndedStatus(before.status);
  }

  function enterIfFree(caller: Principal): Slot | undefined {
    try {
      return requestLimits().enter(caller, 'execute');
    } catch (error) {
      if (PatchbayError.is(error) && error.code === 'concurrency_limited') return undefined;
      throw error;
    }
  }

  async function runQueued(
    row: ExecutionRow,
    attempt: number,
    context: OpenRequestContext,
  ): Promise<Postponement | undefined> {
    const { tenant } = context.caller;
    const end = async (changes: Changes<'executions'>) => {
      await engine.close(tenant, row, changes);
      return undefined;
    };
    if (await lostItsKey(engine, context.caller)) {
      const error = { code: 'key_revoked', message: 'the API key that asked for this is not valid any more' };
      return await end({ status: 'cancelled', error });
    }
    let source: FunctionRow | undefined;
    try {
      source = await functionAtVersion(engine.storage, executor(), row, context);
    } catch (error) {
      // Code that cannot be prepared now will not be later either, unless the server is overloaded.
      if (!PatchbayError.is(error) || (error.retryable && attempt < options().maxAttempts)) throw error;
      return await end({ status: 'failed', error: { code: error.code, message: error.message } });
    }
    if (source === undefined) {
      const error = { code: 'function_not_found', message: 'the function was deleted before it could run' };
      return await end({ status: 'failed', error });
    }
    const within = row.trial ? { ...context, trial: row.trial } : context;
    const run = engine.open(row.id, within, (row.attempt ?? 0) + 1);
    try {
      const started = await engine.start(tenant, row);
      // Another process was faster, or it was cancelled. The next delivery checks.
      if (started === 'refused') return { postponeMs: 0 };
      if (PatchbayError.is(started)) return { postponeMs: waitMs(started) };
      return await runStarted(started, source, run);
    } finally {
      run.end();
    }
  }

  async function runStarted(
    started: ExecutionRow,
    source: FunctionRow,
    run: RunningExecution,
  ): Promise<Postponement | undefined> {
    const { tenant } = run;
    const input = jsonTextOf(started.effectiveInput ?? started.input);
    const mayRunAgain = () => (started.attempt ?? 1) < options().maxAttempts;
    const requeue = async () => ((await engine.requeue(tenant, started)) ? { postponeMs: 0 } : undefined);
    let finished: FinishedExecution;
    try {
      const within = limitsWithin(limits(), started.policy);
      finished = await engine.run({ executor: executor(), source, started, input, limits: within, run });
    } catch (failure) {
      const known = PatchbayError.is(failure);
      if (known && failure.code === 'shutting_down') return await requeue();
      if (known && failure.retryable && mayRunAgain()) {
        if (await engine.requeue(tenant, started)) throw failure;
        return undefined;
      }
      const error = known ? { code: failure.code, message: failure.message } : notRun;
      if (!known) run.context.logger.error(error.message, { executionId: started.id, error: failure });
      await engine.close(tenant, started, { status: 'failed', error });
      return undefined;
    }
    const { changes } = finished;
    const repeatMs = repeatAfterMs(started, changes.status);
    if (repeatMs !== undefined) {
      const { error = null } = changes;
      return (await engine.requeue(tenant, started, { error })) ? { postponeMs: repeatMs } : undefined;
    }
    if (changes.status === 'interrupted' && options().retryInterrupted && mayRunAgain()) return await requeue();
    await engine.close(tenant, started, changes);
    return undefined;
  }
}

/** Jobs with this topic run executions. */
export const executionTopic = 'executions';

/** Hints that there may be an execution to run. The row is authoritative, so duplicates do no harm. */
export function executionJob(executionId: string): NewJob {
  return { topic: executionTopic, payload: { executionId } };
}

function executionIdOf({ payload }: Job): string {
  return String((payload as { executionId?: unknown } | null)?.executionId);
}

/** The caller of a queued execution, from its row. The tenant is that of the row. */
export function storedPrincipal(caller: Principal): JsonObject {
  return JSON.parse(JSON.stringify({ ...caller, tenant: undefined })) as JsonObject;
}

export function restoredPrincipal(tenant: TenantId, stored: JsonObject): Principal {
  return { ...(stored as unknown as Principal), tenant };
}
