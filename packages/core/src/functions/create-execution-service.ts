import { timestamp } from '../app/timestamp.ts';
import { newId } from '../app/type-id.ts';
import type { RequestContext } from '../contracts/context.ts';
import { type ErrorDetail, PatchbayError } from '../contracts/errors.ts';
import type { ExecutionJob, ExecutionLimits, Executor } from '../contracts/executor.ts';
import type { JsonObject } from '../contracts/json.ts';
import type { ExecutionRow, FunctionRow } from '../contracts/rows.ts';
import type { Changes } from '../contracts/storage.ts';
import type { FunctionParts } from './create-function-service.ts';
import type { ExecutionService } from './execution-service.ts';
import { executionView } from './execution-view.ts';
import { type FinishedExecution, finishExecution } from './finish-execution.ts';
import type { ExecutionSummary } from './function-input.ts';
import type { OpenHostCallsFor } from './host-calls/open-host-calls.ts';
import { isLongerThan } from './json-text.ts';
import { listPage } from './list-page.ts';

export interface ExecutionParts extends FunctionParts {
  readonly limits: ExecutionLimits;
  /** Aborts when the host stops: what is cut off by it is `interrupted`, not `cancelled`. */
  readonly stopping: AbortSignal;
  /** What code may ask of the host. Default: nothing. */
  readonly openHostCalls?: OpenHostCallsFor;
}

/** Characters of JSON. Twice a body, because a few bytes of input can ask for very many of defaults. */
const MAX_INPUT_LENGTH = 2_097_152;

const summary = [
  'id',
  'functionId',
  'functionVersion',
  'status',
  'durationMs',
  'createdAt',
  'completedAt',
] as const satisfies readonly (keyof ExecutionSummary)[];

export function createExecutionService(parts: ExecutionParts): ExecutionService {
  const { storage, executor, schemas, clock, limits, stopping, openHostCalls } = parts;

  const findFunction = async (id: string, context: RequestContext): Promise<FunctionRow> => {
    const row = await storage.get(context.caller.tenant, 'functions', id);
    if (!row) throw new PatchbayError('function_not_found', 'there is no function with this id');
    return row;
  };

  /** The input with defaults filled in, as JSON text. The caller's object stays as it is. */
  const completeInput = (row: FunctionRow, text: string): string => {
    const input: unknown = JSON.parse(text);
    const errors = schemas.get(row.input, 'input').validate(input, '/input');
    if (errors.length > 0) throw inputInvalid(errors);
    if (isLongerThan(input, MAX_INPUT_LENGTH)) {
      const detail = `has more than ${MAX_INPUT_LENGTH} characters once the defaults of the schema are filled in`;
      throw inputInvalid([{ pointer: '/input', code: 'too_large', detail }]);
    }
    return JSON.stringify(input);
  };

  // Whatever the revision: a host that starts on the same storage takes this run for one that a crash has left behind
  // and closes it as interrupted. This host knows better.
  const record = async (started: ExecutionRow, changes: Changes<'executions'>, context: RequestContext) => {
    const set = { error: null, ...changes, completedAt: timestamp(clock) };
    const write = { update: 'executions', id: started.id, set } as const;
    const result = await storage.commit(context.caller.tenant, [write]);
    if (!result.done) throw new Error(`execution ${started.id} could not be finished: ${result.reason}`);
    return { ...started, ...set, revision: started.revision + 1 };
  };

  const run = async (
    runner: Executor,
    row: FunctionRow,
    started: ExecutionRow,
    input: string,
    context: RequestContext,
  ) => {
    const calls = openHostCalls?.({ row, executionId: started.id, context });
    const job: ExecutionJob = {
      executionId: started.id,
      functionId: row.id,
      functionName: row.name,
      functionVersion: row.revision,
      artifact: row.artifact,
      input,
      limits,
      ...(calls && { host: calls.host }),
    };
    let finished: FinishedExecution;
    try {
      const outcome = await runner.execute(job, context);
      finished = finishExecution(outcome, schemas.get(row.output, 'output'), { stopping: stopping.aborted });
    } catch (error) {
      const code = PatchbayError.is(error) ? error.code : 'internal_error';
      const message = 'the function could not be run';
      try {
        await record(started, { status: 'failed', error: { code, message } }, context);
      } catch (failure) {
        // The caller gets to know why nothing ran; the row is closed at the next start.
        context.logger.error('an execution could not be closed', { executionId: started.id, error: failure });
      }
      throw error;
    } finally {
      await calls?.close();
    }
    const ended = await record(started, finished.changes, context);
    if (finished.failure) {
      const { code, message, errors } = finished.failure;
      throw new PatchbayError(code, message, { errors, extensions: { execution: executionView(ended) } });
    }
    return ended;
  };

  return {
    async execute(functionId, input, context) {
      const row = await findFunction(functionId, context);
      if (!executor) throw new PatchbayError('executor_unavailable', 'no executor is configured', { retryAfter: 60 });
      const text = JSON.stringify(input);
      const completeText = completeInput(row, text);
      const started: ExecutionRow = {
        id: newId('execution'),
        revision: 1,
        functionId: row.id,
        functionVersion: row.revision,
        status: 'running',
        input,
        effectiveInput: completeText === text ? null : (JSON.parse(completeText) as JsonObject),
        output: null,
        error: null,
        logs: [],
        logsTruncated: false,
        usage: null,
        durationMs: null,
        createdAt: timestamp(clock),
        completedAt: null,
        createdBy: context.caller.id,
        owner: null,
        attempt: 1,
        principal: null,
      };
      const result = await storage.commit(context.caller.tenant, [{ insert: 'executions', row: started }]);
      if (!result.done) throw new Error(`a new id was refused: ${result.reason}`);
      return await run(executor, row, started, completeText, context);
    },

    async get(id, context) {
      const row = await storage.get(context.caller.tenant, 'executions', id);
      if (!row) throw new PatchbayError('execution_not_found', 'there is no execution with this id');
      return row;
    },

    async listForFunction(functionId, page, context) {
      await findFunction(functionId, context);
      const where = { functionId };
      return await listPage(parts, { collection: 'executions', where, page, select: summary }, context);
    },
  };
}

function inputInvalid(errors: readonly ErrorDetail[]): PatchbayError {
  return new PatchbayError('input_invalid', 'the input does not fit the input schema of the function', { errors });
}
