import { AsyncResource } from 'node:async_hooks';
import { errorMessage } from '@patchbay/contracts/base/error-message';
import { readJson } from '@patchbay/contracts/base/json-text';
import { newId } from '@patchbay/contracts/base/type-id';
import type { Clock } from '@patchbay/contracts/clock';
import type { AnsweredCall, Principal } from '@patchbay/contracts/context';
import type { ErrorCode } from '@patchbay/contracts/error-codes';
import { type ErrorDetail, PatchbayError } from '@patchbay/contracts/errors';
import type {
  ExecutionJob,
  ExecutionLimits,
  ExecutionOutcome,
  Executor,
  HostCalls,
  LogLine,
  OutputWatcher,
} from '@patchbay/contracts/executor';
import { failureCodes } from '@patchbay/contracts/failure-codes';
import type { JsonObject, JsonValue } from '@patchbay/contracts/json';
import type { ExecutionRow, ExecutionStatus, FunctionRow, UsageDimensions } from '@patchbay/contracts/rows';
import type { SchemaService } from '@patchbay/contracts/schema/schema-service';
import type { Changes } from '@patchbay/contracts/storage';
import type { GivenContent } from '../../call-content/stored-content.ts';
import type { TokenCounts } from '../../gateway/gateway-service.ts';
import { errorTypeOf, type Measuring } from '../../telemetry/measuring.ts';
import {
  type CallNotes,
  type CallRecorder,
  type NotedContext,
  openNotes,
  withContent,
} from '../../usage/call-records.ts';
import { noUsage, type UsageMeter } from '../../usage/usage-ledger.ts';
import type { OpenHostCallsFor, ServedCalls } from '../host-calls/open-host-calls.ts';
import type { RunningExecution } from './execution-engine.ts';

export interface RunDependencies {
  readonly schemas: SchemaService;
  readonly clock: Clock;
  /** Aborts when the host stops: runs ended by it are `interrupted`, not `cancelled`. */
  readonly stopping: AbortSignal;
  /** Records the usage of every run. */
  readonly meter: UsageMeter;
  /** Records runs as calls. Default: none are recorded. */
  readonly records?: CallRecorder;
  /** Default: none. */
  readonly measuring?: Measuring;
  /** Opens the host calls that code may make. Default: none. */
  readonly openHostCalls?: OpenHostCallsFor;
  /** Called at the end of every run. Must not throw. */
  readonly onRun?: ((run: EndedRun) => void) | undefined;
}

/** A run that has ended, of a request, the queue, a test or a call of another function. */
export interface EndedRun {
  /** The name is empty if the function is not stored. */
  readonly source: Pick<FunctionRow, 'name' | 'code'>;
  readonly caller: Principal;
  /** Lines that the code has logged. */
  readonly logs: readonly LogLine[];
  /** Code and message for the caller; absent if the run completed. */
  readonly failure?: { readonly code: string; readonly message: string };
  /** Frames of the error that the code has thrown. */
  readonly stack?: string;
}

export interface RunRequest {
  readonly executor: Executor;
  /** The version to run. */
  readonly source: FunctionRow;
  readonly started: Pick<ExecutionRow, 'id' | 'createdAt' | 'principal' | 'policy' | 'input' | 'effectiveInput'>;
  /** JSON text, complete and valid. */
  readonly input: string;
  readonly limits: ExecutionLimits;
  readonly run: RunningExecution;
  readonly watcher?: OutputWatcher | undefined;
  /** The only host calls that it can make. Default: those of functions. */
  readonly calls?: ServedCalls;
  /**
   * Resolves when the start of the run is stored, for which the code waits before it has an effect. Default: it is
   * stored.
   */
  readonly storeStart?: (() => Promise<void>) | undefined;
  /** The function is not stored, and its run is not recorded as a call. */
  readonly isTest?: boolean;
}

/** The record of a run, and the error for its caller if it did not complete. */
export interface FinishedExecution {
  readonly changes: Changes<'executions'> & { readonly status: ExecutionStatus };
  readonly failure?: Failure;
}

export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly errors: readonly ErrorDetail[];
}

/** Rejects with the error of the executor: nothing ran, or it is unknown whether it did. */
export type RunExecution = (request: RunRequest) => Promise<FinishedExecution>;

/** The error of an execution whose server stopped before it had ended. */
export const interruption = {
  code: 'interrupted',
  message: 'the server stopped before the function finished',
} as const;

/** Runs code once, validates its output and determines the outcome. Every run is measured and recorded as usage. */
export function createRunExecution(dependencies: RunDependencies): RunExecution {
  const { schemas, clock, stopping, meter, records, measuring, openHostCalls, onRun } = dependencies;

  const runOnce = async (request: RunRequest, context: RunContext): Promise<FinishedExecution> => {
    const { executor, source, started, input, limits, run, watcher, calls: only, storeStart } = request;
    const within = { row: source, executionId: started.id, context: withinRun(context) };
    const calls = openHostCalls?.({ ...within, ...(only && { calls: only }) });
    const job: ExecutionJob = {
      executionId: started.id,
      functionId: source.id,
      functionName: source.name,
      functionVersion: source.revision,
      artifact: source.artifact,
      input,
      limits,
      onLog(line, outputs) {
        run.logs.add(line);
        watcher?.logged?.(line, outputs);
      },
      ...(watcher && { watcher }),
      ...(calls && { host: inThisContext(calls.host, storeStart) }),
    };
    try {
      const ran = await executor.execute(job, context);
      const tokens = calls?.tokens();
      const outcome = tokens ? { ...ran, usage: { ...ran.usage, ...tokens } } : ran;
      if (outcome.status !== 'completed') return unfinished(outcome, run, stopping);
      return finished(outcome, await checkOutput(outcome.output, source, schemas, context.caller.tenant));
    } finally {
      await calls?.close();
    }
  };

  return async (request) => {
    const { source, started, run } = request;
    await meter.ready();
    const startedAt = clock.monotonic();
    const context = runContext(request, clock);
    const attributes = {
      'patchbay.function.id': source.id,
      'patchbay.function.name': source.name,
      'patchbay.function.version': source.revision,
      'patchbay.execution.id': started.id,
    };
    let outcome: UsageDimensions['outcome'] = 'failed';
    let code = '';
    let ended: FinishedExecution['changes'] | undefined;
    try {
      const work = () => runOnce(request, context);
      const result = await (measuring ? measuring.span('execute function', attributes, work) : work());
      ended = result.changes;
      const { status, error } = ended;
      // A run that goes back into the queue was interrupted.
      outcome = status === 'queued' || status === 'running' ? 'interrupted' : status;
      // A code of Patchbay or of the executor's contract, never one chosen by the function.
      code = typeof error?.['code'] === 'string' ? error['code'] : '';
      onRun?.(endedRun(request, result.changes, result.failure));
      return result;
    } catch (error) {
      code = errorTypeOf(error);
      onRun?.(endedRun(request, undefined, { code, message: errorMessage(error) }));
      throw error;
    } finally {
      const durationMs = clock.monotonic() - startedAt;
      const call = { kind: 'execution', functionId: source.id, model: '', outcome } as const;
      const runner = source.code === '' ? 'model' : 'code';
      measuring?.record('patchbay.execution.duration', durationMs / 1_000, { outcome, runner });
      if (outcome !== 'completed') measuring?.count('patchbay.execution.failures', 1, { code, runner });
      if (records && !request.isTest) recordRun(records, request, context, { outcome, durationMs, code, ended });
      meter.record(run.context, { ...call, usage: noUsage, costNanoUsd: null, durationMs });
    }
  };
}

function endedRun(
  { source, run }: RunRequest,
  changes: Changes<'executions'> | undefined,
  failure: EndedRun['failure'],
): EndedRun {
  const { caller } = run.context;
  const logs = (changes?.logs ?? []) as unknown as readonly LogLine[];
  const { stack } = Object(changes?.error) as { readonly stack?: string };
  return { source, caller, logs, ...(failure && { failure }), ...(stack && { stack }) };
}

/** Calls arrive over a socket outside the run's async context, but belong to its span. */
function inThisContext(host: HostCalls, storeStart: RunRequest['storeStart']): HostCalls {
  // `AsyncLocalStorage.snapshot` does the same at many times the cost.
  const within = new AsyncResource('PATCHBAY_RUN', { requireManualDestroy: true });
  const call: HostCalls['call'] = async (...given) => {
    await storeStart?.();
    return await host.call(...given);
  };
  return { ...host, call: (...given) => within.runInAsyncScope(() => call(...given)) };
}

/** The output of a run, or its faults. */
type CheckedOutput =
  | { readonly output: JsonObject; readonly faults?: undefined }
  | { readonly output?: undefined; readonly faults: readonly ErrorDetail[] };

/** Parse and check the output of a function. The text comes from the function, so it is not trusted. */
async function checkOutput(
  text: string,
  { output: schema }: FunctionRow,
  schemas: SchemaService,
  tenant: string,
): Promise<CheckedOutput> {
  const pointer = '/output';
  let output: JsonObject;
  try {
    output = (await readJson(text, 'the output')).value as JsonObject;
  } catch (error) {
    if (!PatchbayError.is(error)) throw error;
    const { code, message } = error;
    const detail = code === 'unsupported_unicode' ? 'has a NUL character or a lone surrogate' : message;
    return { faults: [{ pointer, code, detail }] };
  }
  const { faults } = await schemas.validate(tenant, schema, { text, role: 'output', pointer });
  return faults.length > 0 ? { faults } : { output };
}

/** A run whose code returned. It is `completed` only if the output matches the schema. */
function finished(outcome: ExecutionOutcome, { output, faults }: CheckedOutput): FinishedExecution {
  const record = recordOf(outcome);
  if (!faults) return { changes: { ...record, status: 'completed', output } };
  const message = 'the output does not fit the output schema of the function';
  const error = { code: 'output_invalid', message, errors: faults.map((entry) => ({ ...entry })) };
  return {
    changes: { ...record, status: 'failed', error },
    failure: { code: 'function_output_invalid', message, errors: faults },
  };
}

/** A run that failed or was ended from outside: a disconnect, a stop of the host, or a cancellation. */
function unfinished(
  outcome: Exclude<ExecutionOutcome, { readonly status: 'completed' }>,
  { cause }: RunningExecution,
  stopping: AbortSignal,
): FinishedExecution {
  const record = recordOf(outcome);
  const { status } = outcome;
  const { reason, message, stack } = outcome.error;
  const wasCancelled = cause === 'cancel' || cause === 'elsewhere';
  if (status === 'cancelled' && !wasCancelled && stopping.aborted) {
    return {
      changes: { ...record, status: 'interrupted', error: interruption },
      failure: { code: 'shutting_down', message: interruption.message, errors: [] },
    };
  }
  const error: JsonObject = stack === undefined ? { code: reason, message } : { code: reason, message, stack };
  const code = status === 'cancelled' && wasCancelled ? 'execution_cancelled' : failureCodes[reason];
  return { changes: { ...record, status, error }, failure: { code, message, errors: [] } };
}

function recordOf({ logs, logsTruncated, durationMs, usage }: ExecutionOutcome) {
  return {
    logs: logs.map((line) => ({ ...line })),
    logsTruncated,
    durationMs: Math.round(durationMs),
    usage: usage ?? null,
  };
}

/** The context of a run, whose call has the id that its caller knows. */
export interface RunContext extends NotedContext {
  readonly call: AnsweredCall;
  readonly notes: CallNotes;
}

function runContext({ source, started, run }: RunRequest, clock: Clock): RunContext {
  const { context } = run;
  const { createdAt, principal } = started;
  const call = {
    // Each repetition is another call.
    id: run.attempt > 1 ? newId('call') : started.id,
    name: source.name,
    ...context.call,
    // Asynchronous executions have the principal of their caller, and are queued first.
    ...(principal && { queuedMs: Math.max(0, clock.now() - Date.parse(createdAt)) }),
  };
  return { ...withContent(context, started.policy ?? {}), call, notes: openNotes(clock) };
}

/** The context of a run's host calls. */
const withinRun = (context: RunContext): NotedContext => ({
  ...context,
  parent: { id: context.call.id, notes: context.notes },
});

interface MeasuredRun {
  readonly outcome: UsageDimensions['outcome'];
  readonly durationMs: number;
  /** Of the error, if it did not complete. */
  readonly code: string;
  readonly ended: Partial<Pick<ExecutionRow, 'usage' | 'logs' | 'output'>> | undefined;
}

/** Record a run as a call, unless a model answered: the gateway records that. */
export function recordRun(
  records: CallRecorder,
  { source, started }: RunRequest,
  context: RunContext,
  { outcome, durationMs, code, ended }: MeasuredRun,
): void {
  const { model, settingsVersion, cached, tokens } = modelUseOf({ usage: ended?.usage ?? null, logs: [] });
  if (source.code === '' && !cached) return;
  const isCancelled = outcome === 'cancelled' || outcome === 'interrupted';
  const others = isCancelled ? 'cancelled' : 'failed';
  const content = (): GivenContent => ({
    request: { input: started.effectiveInput ?? started.input },
    ...(ended?.output && { response: { output: ended.output } }),
  });
  const record = {
    id: started.id,
    functionId: source.id,
    executionId: started.id,
    model: cached ? model : undefined,
    settingsVersion,
    outcome: cached ? 'cached' : outcome === 'completed' ? 'completed' : others,
    errorCode: code || null,
    promptTokens: tokens.promptTokens,
    completionTokens: tokens.completionTokens,
    durationMs,
  } as const;
  records.record(withContent(context, context.notes), record, content);
}

/** The models that an execution used. */
interface ModelUse {
  /** The model that ran a function without code. Code may call several. */
  readonly model?: string;
  /** Version of the stored settings that it used. */
  readonly settingsVersion?: number | null;
  /** The output was cached, and no model was called. */
  readonly cached: boolean;
  readonly tokens: TokenCounts;
  readonly warnings: readonly string[];
}

export function modelUseOf({ usage, logs }: Pick<ExecutionRow, 'usage' | 'logs'>): ModelUse {
  const recorded = (usage ?? {}) as Partial<
    TokenCounts & { readonly model: string; readonly settingsVersion: number; readonly cached: boolean }
  >;
  const { model, settingsVersion, cached = false, promptTokens = 0, completionTokens = 0, totalTokens = 0 } = recorded;
  const tokens = { promptTokens, completionTokens, totalTokens };
  return model === undefined
    ? { cached: false, tokens, warnings: [] }
    : { model, settingsVersion: settingsVersion || null, cached, tokens, warnings: warningsOf(logs) };
}

/** The logs of an execution by a model contain the warnings of its request. */
function warningsOf(logs: ExecutionRow['logs']): readonly string[] {
  return logs.flatMap((line) => {
    const { level, message } = line as Readonly<Record<string, JsonValue>>;
    return level === 'warn' && typeof message === 'string' ? [message] : [];
  });
}
