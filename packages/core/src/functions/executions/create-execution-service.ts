import { timestamp } from '@patchbay/contracts/base/clock';
import { findRow, requireAllFunctions, retryRefused } from '@patchbay/contracts/base/stored-rows';
import { newId } from '@patchbay/contracts/base/type-id';
import type { RequestContext } from '@patchbay/contracts/context';
import { type ErrorCode, errorCodes } from '@patchbay/contracts/error-codes';
import { type ErrorDetail, PatchbayError } from '@patchbay/contracts/errors';
import type { ExecutionFailure, ExecutionLimits, Executor, OutputWatcher } from '@patchbay/contracts/executor';
import { failureCodes } from '@patchbay/contracts/failure-codes';
import type { JsonObject, JsonValue } from '@patchbay/contracts/json';
import type { Queue } from '@patchbay/contracts/queue';
import { type ExecutionRow, type FunctionRow, isEndedStatus } from '@patchbay/contracts/rows';
import type { SchemaService } from '@patchbay/contracts/schema/schema-service';
import { Batched } from '../../gateway/stream-events.ts';
import { countRefusal } from '../../limits/request-limits.ts';
import type { CursorCodec } from '../../paging/cursor.ts';
import { listPage } from '../../paging/list-page.ts';
import type { SettingsService } from '../../settings/settings-service.ts';
import { streamCall } from '../calls/stream-call.ts';
import { prepareFunction } from '../prepare-function.ts';
import { checkBundle } from '../uploaded-bundles/check-bundle.ts';
import { identified } from '../uploaded-bundles/stored-bundles.ts';
import {
  type AdmittedExecution,
  createAdmission,
  limitsWithin,
  newExecution,
  ofWaiting,
  policyOf,
} from './admission.ts';
import { createDeadLetters } from './dead-letters.ts';
import type { ExecutionEngine, RunningExecution } from './execution-engine.ts';
import { type ExecutionService, executionSummary, type TestedFunction } from './execution-service.ts';
import type { LateStart } from './execution-starts.ts';
import { followLogs } from './follow-logs.ts';
import { programSource } from './program-source.ts';
import { createQueueing } from './queueing.ts';
import type { Failure, FinishedExecution } from './run-execution.ts';

export interface ExecutionServiceDependencies {
  readonly engine: ExecutionEngine;
  /** Absent: functions are stored, but cannot be executed. */
  readonly executor: Executor | undefined;
  readonly settings: Pick<SettingsService, 'get' | 'resolve'>;
  readonly schemas: SchemaService;
  readonly cursors: CursorCodec;
  readonly queue: Queue;
  readonly limits: ExecutionLimits;
  /** Maximum number of queued executions per tenant. */
  readonly maxQueued: number;
  /** Days for which finished executions are kept. Default: forever. */
  readonly keepDays?: number | undefined;
}

const DAY_MS = 86_400_000;

/**
 * An execution is admitted (its function is found, its input validated), recorded as running or queued, run by
 * `run-execution.ts`, and its outcome is committed before the caller receives it.
 */
export function createExecutionService(dependencies: ExecutionServiceDependencies): ExecutionService {
  const { engine, executor, settings, schemas, cursors, limits, keepDays } = dependencies;
  const { storage, clock } = engine;
  const admission = createAdmission({ executor, settings, schemas, clock });
  const queueing = createQueueing({ ...dependencies, storage, admission });

  const findFunction = (id: string, context: RequestContext): Promise<FunctionRow> =>
    findRow(storage, 'functions', id, context);
  const get: ExecutionService['get'] = (id, context) => findRow(storage, 'executions', id, context);

  /** Run a recorded execution, and record its outcome. */
  const perform = async (
    { runner, source, row: started, text: input, program, limits: within = limits }: AdmittedExecution,
    run: RunningExecution,
    watcher?: OutputWatcher,
    late?: LateStart,
  ): Promise<ExecutionRow> => {
    const { tenant } = run;
    const calls = () => (program ? { calls: [...program.made] } : {});
    let finished: FinishedExecution;
    try {
      const storeStart = late && (() => late.write());
      const host = { storeStart, ...(program && { calls: program.calls }) };
      finished = await engine.run({ executor: runner, source, started, input, limits: within, run, watcher, ...host });
    } catch (error) {
      const code = PatchbayError.is(error) ? error.code : 'internal_error';
      const message = 'the function could not be run';
      // The caller receives the reason; the row is closed as soon as possible.
      const changes = { status: 'failed', error: { code, message }, ...calls() } as const;
      await engine.close(tenant, started, changes, late).catch(() => undefined);
      throw error;
    }
    const ended = await engine.close(tenant, started, { ...finished.changes, ...calls() }, late);
    if (ended.status !== finished.changes.status) throw endedElsewhere(ended);
    if (finished.failure) throw failed(finished.failure, executionView(ended));
    return ended;
  };

  /** Record an execution as running, run it, and record its outcome. */
  const runRecorded = async (
    admitted: AdmittedExecution,
    context: RequestContext,
    watcher?: OutputWatcher,
  ): Promise<ExecutionRow> => {
    const row = { ...admitted.row, ...(await engine.ownership()), attempt: 1 };
    const run = engine.open(row.id, context);
    try {
      if (!watcher && startsLate(admitted)) {
        return await perform({ ...admitted, row }, run, undefined, engine.starts.open(context.caller.tenant, row));
      }
      // Its id is not known outside yet, and its end is flushed before the caller receives it. The reader of a stream
      // receives output earlier.
      const survives = watcher ? 'power-loss' : 'crash';
      const outcome = await engine.record(context.caller.tenant, row, { survives });
      if (outcome === 'refused') throw new Error('a new id was refused');
      if (outcome !== 'started') {
        countRefusal(outcome, engine.measuring.count);
        throw outcome;
      }
      return await perform({ ...admitted, row }, run, watcher);
    } finally {
      run.end();
    }
  };

  const test: ExecutionService['test'] = async (given, input, context, watcher) => {
    requireAllFunctions(context.caller);
    admission.requireExecutor();
    const { source, runner, row, text } = await admission.admit(await newFunction(given, context), input, context);
    const started = { ...row, status: 'running', attempt: 1 } as const;
    const run = engine.open(started.id, context);
    try {
      const finished = await engine.run({
        executor: runner,
        source,
        started,
        input: text,
        limits,
        run,
        watcher,
        isTest: true,
      });
      const ended = { ...started, ...finished.changes, completedAt: timestamp(clock) };
      if (finished.failure) throw failed(finished.failure, testView(ended));
      return ended;
    } finally {
      run.end();
    }
  };

  return {
    keptMs: keepDays === undefined ? undefined : keepDays * DAY_MS,

    failure: executionFailure,

    async execute(functionId, input, context, watcher) {
      const admitted = await admission.admit(await findFunction(functionId, context), input, context);
      const policy = ofWaiting(admitted.source, await policyOf(settings, admitted.source, context));
      const row = { ...admitted.row, policy };
      return await runRecorded({ ...admitted, row, limits: limitsWithin(limits, policy) }, context, watcher);
    },

    async runProgram(program, context) {
      const runner = admission.requireExecutor();
      const source = programSource(program, timestamp(clock));
      const row = { ...newExecution(newId('run'), source, context, clock), input: { code: program.code } };
      return await runRecorded({ source, runner, row, text: '{}', program }, context);
    },

    enqueue: queueing.enqueue,

    deadLetters: createDeadLetters({ storage, cursors, queueing }),

    test,

    async streamTest(given, input, context) {
      const carryOut = async (watcher: OutputWatcher, within: RequestContext) => {
        const run = await test(given, input, within, watcher);
        return { output: run.output ?? {}, run };
      };
      return Batched.from(await streamCall(carryOut, context, true));
    },

    async cancel(id, context) {
      if (context.caller.functions) await get(id, context);
      return await engine.cancel(context.caller.tenant, id);
    },

    get,

    async rerun(id, context) {
      return await retryRefused('too many concurrent changes to the execution; try again', async () => {
        const row = await get(id, context);
        if (!isEndedStatus(row.status)) throw new PatchbayError('conflict', 'the execution has not ended');
        return await queueing.runAgain(row, context);
      });
    },

    async logs(id, context) {
      const { status, logs, logsTruncated } = await get(id, context);
      const run = engine.running.ofTenant(context.caller.tenant, id);
      const lines = run === undefined ? logs : run.logs.lines.map((line) => ({ ...line }));
      return { status, lines, logsTruncated };
    },

    async followLogs(id, from, context) {
      await get(id, context);
      return followLogs(engine, id, from, context);
    },

    async list(status, page, context) {
      requireAllFunctions(context.caller);
      const where = status === undefined ? {} : { status };
      return await listPage(
        { storage, cursors },
        { collection: 'executions', where, page, select: executionSummary },
        context,
      );
    },

    async listForFunction(functionId, page, context) {
      await findFunction(functionId, context);
      const query = { collection: 'executions', where: { functionId }, page, select: executionSummary } as const;
      return await listPage({ storage, cursors }, query, context);
    },
  };

  /** A function that is not stored. Its pointer in a request is `/function`. */
  async function newFunction(given: TestedFunction, context: RequestContext): Promise<FunctionRow> {
    const createdAt = timestamp(clock);
    try {
      const { bundle, ...source } = given;
      const id = newId('function');
      const kept = bundle && identified(id, checkBundle(bundle));
      const content = { name: '', description: '', ...source };
      const prepared = await prepareFunction(content, kept, { executor, schemas }, context);
      return { id, revision: 1, ...prepared, createdAt, updatedAt: createdAt };
    } catch (error) {
      if (!PatchbayError.is(error) || error.errors.length === 0) throw error;
      const errors = error.errors.map((entry) => ({ ...entry, pointer: `/function${entry.pointer}` }));
      throw new PatchbayError(error.code, error.message, { errors, cause: error });
    }
  }
}

/** Whether nothing outside can have changed, and nothing has counted the run, before its start is stored. */
function startsLate({ runner, source, row: { policy }, program }: AdmittedExecution): boolean {
  if (program || source.artifact === '' || policy?.rateLimit || policy?.concurrency) return false;
  return runner.isSealed === true;
}

function failed({ code, message, errors }: Failure, execution: JsonObject): PatchbayError {
  return new PatchbayError(code, message, { errors, extensions: { execution } });
}

/** The error for a caller whose execution was ended while it ran: cancelled, or taken over from this server. */
function endedElsewhere(row: ExecutionRow): PatchbayError {
  const extensions = { execution: executionView(row) };
  if (row.status === 'cancelled') {
    return new PatchbayError('execution_cancelled', 'the execution was cancelled', { extensions });
  }
  const message = 'the lease of this server expired while the function ran';
  return new PatchbayError('executor_unavailable', message, { extensions, retryAfter: 1 });
}

/**
 * An execution as callers see it: the fields of the specification first, then the extensions that have a value.
 *
 * @example
 * ```ts
 * import { executionView } from '@patchbay/core';
 * import type { ExecutionRow } from '@patchbay/core/storage';
 *
 * export const answerOf = (row: ExecutionRow) => JSON.stringify(executionView(row));
 * ```
 */
export function executionView(row: ExecutionRow): JsonObject {
  const view: Record<string, JsonValue> = {
    id: row.id,
    functionId: row.functionId,
    status: row.status,
    input: row.input,
  };
  if (row.output !== null) view['output'] = row.output;
  view['createdAt'] = row.createdAt;
  if (row.completedAt !== null) view['completedAt'] = row.completedAt;
  view['functionVersion'] = row.functionVersion;
  if (row.effectiveInput !== null) view['effectiveInput'] = row.effectiveInput;
  if (row.error !== null) view['error'] = row.error;
  if (row.parentId !== null) view['parentId'] = row.parentId;
  if (row.calls !== null) view['calls'] = row.calls;
  if (row.policy !== null) view['policy'] = { ...row.policy } as JsonObject;
  if (row.scheduleId !== null) view['scheduleId'] = row.scheduleId;
  if (row.scheduledFor !== null) view['scheduledFor'] = row.scheduledFor;
  if (row.deadLetter !== null) view['deadLetter'] = row.deadLetter;
  if (row.trial !== null) view['trial'] = { ...row.trial };
  if (row.attempt !== null && row.attempt > 1) view['attempt'] = row.attempt;
  view['logs'] = row.logs;
  if (row.logsTruncated) view['logsTruncated'] = true;
  if (row.durationMs !== null) view['durationMs'] = row.durationMs;
  if (row.usage !== null) view['usage'] = row.usage;
  return view;
}

/**
 * An unstored run of an unstored function, without ids.
 *
 * @example
 * ```ts
 * import { testView } from '@patchbay/core';
 * import type { ExecutionRow } from '@patchbay/core/storage';
 *
 * export const answerOf = (row: ExecutionRow) => JSON.stringify(testView(row));
 * ```
 */
export function testView(row: ExecutionRow): JsonObject {
  const { id: _id, functionId: _functionId, functionVersion: _version, ...view } = executionView(row);
  return view;
}

/** The error of an execution that has ended without an output, for callers that did not wait for it. */
function executionFailure(row: ExecutionRow): PatchbayError {
  const {
    code: reason,
    message,
    errors,
  } = Object(row.error) as {
    readonly code?: string;
    readonly message?: string;
    readonly errors?: readonly ErrorDetail[];
  };
  return new PatchbayError(codeOf(row, reason), message ?? 'the function did not complete', {
    ...(errors && { errors }),
    extensions: { execution: executionView(row) },
  });
}

function codeOf({ status }: ExecutionRow, reason: string | undefined): ErrorCode {
  if (status === 'cancelled') return 'execution_cancelled';
  if (status === 'interrupted') return 'executor_unavailable';
  if (reason !== undefined && Object.hasOwn(failureCodes, reason)) return failureCodes[reason as ExecutionFailure];
  return reason !== undefined && Object.hasOwn(errorCodes, reason) ? (reason as ErrorCode) : 'function_failed';
}
