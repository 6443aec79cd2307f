import { timestamp } from '../base/clock.ts';
import { newId } from '../base/type-id.ts';
import type { RequestContext } from '../contracts/context.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { ExecutionLimits, Executor, OutputWatcher } from '../contracts/executor.ts';
import type { JsonObject } from '../contracts/json.ts';
import type { Queue } from '../contracts/queue.ts';
import type { ExecutionRow, FunctionRow } from '../contracts/rows.ts';
import type { CursorCodec } from '../paging/cursor.ts';
import { listPage } from '../paging/list-page.ts';
import type { SchemaService } from '../schema/schema-service.ts';
import { type CompleteInput, completeInput } from './complete-input.ts';
import type { ExecutionService, TestedFunction } from './execution-service.ts';
import { executionView, testView } from './execution-view.ts';
import { cancelExecution } from './executions/cancel-execution.ts';
import type { ExecutionEngine } from './executions/execution-engine.ts';
import { executionJob, executionTopic } from './executions/execution-job.ts';
import { followLogs } from './executions/follow-logs.ts';
import type { RunningExecution } from './executions/running-executions.ts';
import { storedPrincipal } from './executions/stored-principal.ts';
import type { Failure, FinishedExecution } from './finish-execution.ts';
import type { ExecutionSummary } from './function-input.ts';
import { prepareFunction } from './prepare-function.ts';

export interface ExecutionServiceDependencies {
  readonly engine: ExecutionEngine;
  /** Absent: functions are kept, but cannot be executed. */
  readonly executor: Executor | undefined;
  readonly schemas: SchemaService;
  readonly cursors: CursorCodec;
  readonly queue: Queue;
  readonly limits: ExecutionLimits;
  /** Executions of one tenant that may wait at the same time. */
  readonly maxQueued: number;
}

const summary = [
  'id',
  'functionId',
  'functionVersion',
  'status',
  'durationMs',
  'createdAt',
  'completedAt',
] as const satisfies readonly (keyof ExecutionSummary)[];

export function createExecutionService(dependencies: ExecutionServiceDependencies): ExecutionService {
  const { engine, executor, schemas, cursors, queue, limits, maxQueued } = dependencies;
  const { storage, clock } = engine.parts;
  const lists = { storage, cursors };

  const findFunction = async (id: string, context: RequestContext): Promise<FunctionRow> => {
    const row = await storage.get(context.caller.tenant, 'functions', id);
    if (!row) throw new PatchbayError('function_not_found', 'there is no function with this id');
    return row;
  };

  const get = async (id: string, context: RequestContext): Promise<ExecutionRow> => {
    const row = await storage.get(context.caller.tenant, 'executions', id);
    if (!row) throw new PatchbayError('execution_not_found', 'there is no execution with this id');
    return row;
  };

  const requireExecutor = (): Executor => {
    if (executor) return executor;
    throw new PatchbayError('executor_unavailable', 'no executor is configured', { retryAfter: 60 });
  };

  /** Run what is recorded as running, and record its end. */
  const perform = async (
    runner: Executor,
    source: FunctionRow,
    started: ExecutionRow,
    input: string,
    run: RunningExecution,
    watcher: OutputWatcher | undefined,
  ): Promise<ExecutionRow> => {
    const { tenant } = run;
    let finished: FinishedExecution;
    try {
      finished = await engine.run({ executor: runner, source, started, input, limits, run, watcher });
    } catch (error) {
      const code = PatchbayError.is(error) ? error.code : 'internal_error';
      const message = 'the function could not be run';
      // The caller gets to know why nothing ran; the row is closed as soon as it can be.
      await engine.close(tenant, started, { status: 'failed', error: { code, message } }).catch(() => undefined);
      throw error;
    }
    const ended = await engine.close(tenant, started, finished.changes);
    if (ended.status !== finished.changes.status) throw endedElsewhere(ended);
    if (finished.failure) throw failed(finished.failure, executionView(ended));
    return ended;
  };

  return {
    async execute(functionId, input, context, watcher) {
      const source = await findFunction(functionId, context);
      const runner = requireExecutor();
      const complete = await completeInput(source, input, schemas, context.caller.tenant);
      const ownership = await engine.ownership();
      const started = { ...newExecution(source, input, complete, context), ...ownership, attempt: 1 };
      const run = engine.open(started.id, context);
      try {
        const result = await storage.commit(context.caller.tenant, [{ insert: 'executions', row: started }]);
        if (!result.done) throw new Error(`a new id was refused: ${result.reason}`);
        return await perform(runner, source, started, complete.text, run, watcher);
      } finally {
        run.end();
      }
    },

    async enqueue(functionId, input, context) {
      const source = await findFunction(functionId, context);
      requireExecutor();
      const complete = await completeInput(source, input, schemas, context.caller.tenant);
      const { tenant } = context.caller;
      await checkRoom(context);
      const row = {
        ...newExecution(source, input, complete, context),
        principal: storedPrincipal(context.caller),
      };
      const job = queue.write(tenant, executionJob(row.id));
      const result = await storage.commit(tenant, [{ insert: 'executions', row }, job]);
      if (!result.done) throw new Error(`a new id was refused: ${result.reason}`);
      queue.notify(executionTopic);
      return row;
    },

    async test(given, input, context) {
      const runner = requireExecutor();
      const source = await newFunction(given, context);
      const complete = await completeInput(source, input, schemas, context.caller.tenant);
      const started = { ...newExecution(source, input, complete, context), status: 'running', attempt: 1 } as const;
      const run = engine.open(started.id, context);
      try {
        const finished = await engine.run({ executor: runner, source, started, input: complete.text, limits, run });
        const ended = { ...started, ...finished.changes, completedAt: timestamp(clock) };
        if (finished.failure) throw failed(finished.failure, testView(ended));
        return ended;
      } finally {
        run.end();
      }
    },

    async cancel(id, context) {
      return await cancelExecution(engine, id, context);
    },

    get,

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
      const where = status === undefined ? {} : { status };
      return await listPage(lists, { collection: 'executions', where, page, select: summary }, context);
    },

    async listForFunction(functionId, page, context) {
      await findFunction(functionId, context);
      const where = { functionId };
      return await listPage(lists, { collection: 'executions', where, page, select: summary }, context);
    },
  };

  /** A function that is not stored. Its place in a request is `/function`. */
  async function newFunction(given: TestedFunction, context: RequestContext): Promise<FunctionRow> {
    const createdAt = timestamp(clock);
    try {
      const prepared = await prepareFunction({ name: '', description: '', ...given }, { executor, schemas }, context);
      return { id: newId('function'), revision: 1, ...prepared, createdAt, updatedAt: createdAt };
    } catch (error) {
      if (!PatchbayError.is(error) || error.errors.length === 0) throw error;
      const errors = error.errors.map((entry) => ({ ...entry, pointer: `/function${entry.pointer}` }));
      throw new PatchbayError(error.code, error.message, { errors, cause: error });
    }
  }

  async function checkRoom({ caller }: RequestContext): Promise<void> {
    const query = { where: { status: 'queued' }, sort: 'createdAt', order: 'asc', limit: 1, select: ['id'] } as const;
    const { total } = await storage.list(caller.tenant, 'executions', query);
    if (total < maxQueued) return;
    throw new PatchbayError('concurrency_limited', `${maxQueued} executions are waiting already`, { retryAfter: 5 });
  }

  function newExecution(
    source: FunctionRow,
    input: JsonObject,
    complete: CompleteInput,
    { caller, execution }: RequestContext,
  ): ExecutionRow {
    return {
      id: newId('execution'),
      revision: 1,
      functionId: source.id,
      functionVersion: source.revision,
      status: 'queued',
      input,
      effectiveInput: complete.changed,
      output: null,
      error: null,
      logs: [],
      logsTruncated: false,
      usage: null,
      durationMs: null,
      createdAt: timestamp(clock),
      completedAt: null,
      createdBy: caller.id,
      owner: null,
      attempt: 0,
      principal: null,
      parentId: execution?.id ?? null,
    };
  }
}

function failed({ code, message, errors }: Failure, execution: JsonObject): PatchbayError {
  return new PatchbayError(code, message, { errors, extensions: { execution } });
}

/** The answer to a caller whose execution was ended while it ran: cancelled, or taken over from a server held for dead. */
function endedElsewhere(row: ExecutionRow): PatchbayError {
  const extensions = { execution: executionView(row) };
  if (row.status === 'cancelled') {
    return new PatchbayError('execution_cancelled', 'the execution was cancelled', { extensions });
  }
  const message = 'this server was taken for dead while the function ran';
  return new PatchbayError('executor_unavailable', message, { extensions, retryAfter: 1 });
}
