import { AsyncLocalStorage } from 'node:async_hooks';
import type { ExecutionJob, ExecutionLimits, Executor, HostCalls, OutputWatcher } from '../../contracts/executor.ts';
import type { ExecutionRow, FunctionRow } from '../../contracts/rows.ts';
import type { SchemaService } from '../../schema/schema-service.ts';
import { checkOutput } from '../check-output.ts';
import { type AbortCause, type FinishedExecution, finishExecution } from '../finish-execution.ts';
import type { OpenHostCallsFor } from '../host-calls/open-host-calls.ts';
import type { RunningExecution } from './running-executions.ts';

export interface RunParts {
  readonly schemas: SchemaService;
  /** Aborts when the host stops: what is cut off by it is `interrupted`, not `cancelled`. */
  readonly stopping: AbortSignal;
  /** What code may ask of the host. Default: nothing. */
  readonly openHostCalls?: OpenHostCallsFor;
}

export interface RunRequest {
  readonly executor: Executor;
  /** The version that is to be run. */
  readonly source: FunctionRow;
  readonly started: Pick<ExecutionRow, 'id'>;
  /** JSON text, complete and valid. */
  readonly input: string;
  readonly limits: ExecutionLimits;
  readonly run: RunningExecution;
  readonly watcher?: OutputWatcher | undefined;
}

/** Run code once and judge how it ended. Rejects with what the executor rejects with: nothing ran, or nobody knows. */
export async function runExecution(
  { schemas, stopping, openHostCalls }: RunParts,
  { executor, source, started, input, limits, run, watcher }: RunRequest,
): Promise<FinishedExecution> {
  const { context } = run;
  const calls = openHostCalls?.({ row: source, executionId: started.id, context });
  const job: ExecutionJob = {
    executionId: started.id,
    functionId: source.id,
    functionName: source.name,
    functionVersion: source.revision,
    artifact: source.artifact,
    input,
    limits,
    onLog: (line) => run.logs.add(line),
    ...(watcher && { watcher }),
    ...(calls && { host: inThisContext(calls.host) }),
  };
  try {
    const outcome = await executor.execute(job, context);
    const check = (text: string) => checkOutput(text, source.output, schemas, context.caller.tenant);
    return await finishExecution(outcome, check, causeOf(run, stopping));
  } finally {
    await calls?.close();
  }
}

/** Calls arrive over a socket that knows nothing of the run: what they do belongs to the span of the run all the same. */
function inThisContext(host: HostCalls): HostCalls {
  const within = AsyncLocalStorage.snapshot();
  return { ...host, call: (...given) => within(() => host.call(...given)) };
}

function causeOf({ cause }: RunningExecution, stopping: AbortSignal): AbortCause | undefined {
  if (cause === 'cancel' || cause === 'elsewhere') return cause;
  if (stopping.aborted) return 'stop';
  return cause && 'caller';
}
