import { jsonTextOf } from '../../base/json-text-of.ts';
import type { OpenRequestContext, Principal } from '../../contracts/context.ts';
import { PatchbayError } from '../../contracts/errors.ts';
import type { ExecutionLimits, Executor } from '../../contracts/executor.ts';
import type { JobHandler, Postponement } from '../../contracts/queue.ts';
import type { ExecutionRow, FunctionRow } from '../../contracts/rows.ts';
import type { Changes } from '../../contracts/storage.ts';
import type { Slot } from '../../limits/concurrency-caps.ts';
import type { RequestLimits } from '../../limits/request-limits.ts';
import type { ExecutionEngine } from './execution-engine.ts';
import { executionIdOf } from './execution-job.ts';
import type { ExecutionOptions } from './execution-options.ts';
import { hasEnded } from './execution-states.ts';
import type { RunningExecution } from './running-executions.ts';
import { functionAtVersion } from './sourced-function.ts';
import { lostItsKey, restoredPrincipal } from './stored-principal.ts';

export interface QueuedParts {
  readonly engine: ExecutionEngine;
  /** The one in force. */
  readonly executor: () => Executor;
  readonly limits: () => ExecutionLimits;
  /** What is in force: how often an execution is started at most, and whether one that was cut off is started again. */
  readonly options: () => ExecutionOptions;
  /** Those in force. */
  readonly requestLimits: () => Pick<RequestLimits, 'enter'>;
  /** @throws PatchbayError `shutting_down`. */
  readonly openContext: (caller: Principal) => OpenRequestContext;
}

/** When to look again for an execution that runs elsewhere, and may have to be taken over. */
const RUNS_ELSEWHERE_MS = 2_000;

/** When to look again for an execution whose caller has no free slot. Others use the consumer until then. */
const NO_SLOT_MS = 500;

/** Runs the executions that wait. The row says what is to be done; the job only says that there may be something. */
export function createQueuedExecutions(parts: QueuedParts): JobHandler {
  return async (job) => {
    const { storage } = parts.engine.parts;
    const row = await storage.get(job.tenant, 'executions', executionIdOf(job));
    if (row === undefined || hasEnded(row) || row.principal === null) return undefined;
    if (row.status === 'running') return { postponeMs: RUNS_ELSEWHERE_MS };
    let context: OpenRequestContext;
    try {
      context = parts.openContext(restoredPrincipal(job.tenant, row.principal));
    } catch {
      return { postponeMs: 0 };
    }
    const slot = enterIfFree(context.caller, parts);
    try {
      if (slot === undefined) return { postponeMs: NO_SLOT_MS };
      return await runQueued(row, job.attempt, context, parts);
    } finally {
      slot?.leave();
      context.close();
    }
  };
}

function enterIfFree(caller: Principal, { requestLimits }: QueuedParts): Slot | undefined {
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
  parts: QueuedParts,
): Promise<Postponement | undefined> {
  const { engine, executor, options } = parts;
  const { tenant } = context.caller;
  const end = async (changes: Changes<'executions'>) => {
    await engine.close(tenant, row, changes);
    return undefined;
  };
  if (await lostItsKey(engine.parts, context.caller)) {
    const error = { code: 'key_revoked', message: 'the API key that asked for this is not valid any more' };
    return await end({ status: 'cancelled', error });
  }
  let source: FunctionRow | undefined;
  try {
    source = await functionAtVersion(engine.parts.storage, executor(), row, context);
  } catch (error) {
    // What cannot be prepared any more will not be later either; a server that has too much to do is another thing.
    if (!PatchbayError.is(error) || (error.retryable && attempt < options().maxAttempts)) throw error;
    return await end({ status: 'failed', error: { code: error.code, message: error.message } });
  }
  if (source === undefined) {
    const error = { code: 'function_not_found', message: 'the function was deleted before it could run' };
    return await end({ status: 'failed', error });
  }
  const run = engine.open(row.id, context, (row.attempt ?? 0) + 1);
  try {
    const started = await engine.start(tenant, row);
    // Somebody was faster, or cancelled it. The next delivery sees what has become of it.
    if (started === undefined) return { postponeMs: 0 };
    return await runStarted(started, source, run, parts);
  } finally {
    run.end();
  }
}

async function runStarted(
  started: ExecutionRow,
  source: FunctionRow,
  run: RunningExecution,
  parts: QueuedParts,
): Promise<Postponement | undefined> {
  const { engine, executor, limits, options } = parts;
  const { tenant } = run;
  const input = jsonTextOf(started.effectiveInput ?? started.input);
  const result = await engine
    .run({ executor: executor(), source, started, input, limits: limits(), run })
    .catch((failure: unknown) => ({ failure }));
  const { maxAttempts, retryInterrupted } = options();
  const mayRunAgain = (started.attempt ?? 1) < maxAttempts;
  if (!('failure' in result && !('changes' in result))) {
    const again = result.changes.status === 'interrupted' && retryInterrupted && mayRunAgain;
    if (again) return (await engine.requeue(tenant, started)) ? { postponeMs: 0 } : undefined;
    await engine.close(tenant, started, result.changes);
    return undefined;
  }
  const { failure } = result;
  const known = PatchbayError.is(failure);
  if (known && failure.code === 'shutting_down') {
    return (await engine.requeue(tenant, started)) ? { postponeMs: 0 } : undefined;
  }
  if (known && failure.retryable && mayRunAgain) {
    if (await engine.requeue(tenant, started)) throw failure;
    return undefined;
  }
  const error = { code: known ? failure.code : 'internal_error', message: 'the function could not be run' };
  if (!known) run.context.logger.error(error.message, { executionId: started.id, error: failure });
  await engine.close(tenant, started, { status: 'failed', error });
  return undefined;
}
