import type { RequestContext } from '@patchbay/contracts/context';
import type { PatchbayError } from '@patchbay/contracts/errors';
import type { OutputWatcher } from '@patchbay/contracts/executor';
import type { JsonObject, JsonValue } from '@patchbay/contracts/json';
import type { ExecutionRow, ExecutionStatus } from '@patchbay/contracts/rows';
import type { Batched } from '../../gateway/stream-events.ts';
import type { PageRequest, PageResult } from '../../paging/list-page.ts';
import type { CallEvent } from '../calls/stream-call.ts';
import type { FunctionInput } from '../function-service.ts';
import type { DeadLetters } from './dead-letters.ts';
import type { LogEvent, LogPlace } from './follow-logs.ts';
import type { PreparedProgram } from './program-source.ts';

export interface ExecutionLogs extends Pick<ExecutionRow, 'status' | 'logsTruncated'> {
  readonly lines: readonly JsonValue[];
}

/** A function that is not stored. */
export type TestedFunction = Pick<FunctionInput, 'input' | 'output' | 'code' | 'bundle'>;

/** An event of a test that is streamed. */
export type TestEvent = CallEvent<{ readonly output: JsonObject; readonly run: ExecutionRow }>;

/** The fields of a list entry: without documents and logs, which can have several MiB each. */
export const executionSummary = [
  'id',
  'functionId',
  'functionVersion',
  'status',
  'durationMs',
  'createdAt',
  'completedAt',
  'scheduleId',
  'scheduledFor',
] as const satisfies readonly (keyof ExecutionRow)[];

export type ExecutionSummary = Pick<ExecutionRow, (typeof executionSummary)[number]>;

/** Runs functions and keeps a record of each run. */
export interface ExecutionService {
  /** Milliseconds from its creation for which an execution is kept. Undefined: it is never deleted. */
  readonly keptMs: number | undefined;
  /**
   * Run a function once, and resolve to its completed execution.
   *
   * @param watcher Receives partial output, where it is produced incrementally.
   * @throws PatchbayError `function_not_found`, `input_invalid`; with the failed execution in its extensions
   *   `function_failed`, `function_timeout`, `function_output_invalid`, `function_resource_exceeded`,
   *   `execution_cancelled`;
   *   `executor_unavailable`, `overloaded`.
   */
  execute(
    functionId: string,
    input: JsonObject,
    context: RequestContext,
    watcher?: OutputWatcher,
  ): Promise<ExecutionRow>;
  /**
   * Run a program once, and resolve to its completed execution.
   *
   * @throws PatchbayError as `execute`, for failures of the run.
   */
  runProgram(program: PreparedProgram, context: RequestContext): Promise<ExecutionRow>;
  /**
   * Enqueue a function to run once, and resolve to its queued execution. It survives restarts of the
   * server, and runs the current version of the function, on behalf of the caller.
   *
   * @throws PatchbayError `function_not_found`, `input_invalid`, `executor_unavailable`, `concurrency_limited`.
   */
  enqueue(functionId: string, input: JsonObject, context: RequestContext): Promise<ExecutionRow>;
  readonly deadLetters: DeadLetters;
  /**
   * Validate a function as if it were stored, and run it once. Nothing is stored.
   *
   * @throws PatchbayError as `execute`, except `function_not_found`; `schema_invalid`, `code_invalid`.
   */
  test(
    source: TestedFunction,
    input: JsonObject,
    context: RequestContext,
    watcher?: OutputWatcher,
  ): Promise<ExecutionRow>;
  /** As `test`, with each line that is logged and each output that is yielded as it comes, and the run at the end. */
  streamTest(source: TestedFunction, input: JsonObject, context: RequestContext): Promise<Batched<TestEvent>>;
  /**
   * Cancel a queued or running execution. One that was already cancelled is returned unchanged.
   *
   * @throws PatchbayError `execution_not_found`; `conflict` if it has ended in another way.
   */
  cancel(id: string, context: RequestContext): Promise<ExecutionRow>;
  /**
   * Enqueue an execution of the current version of the function, with the input of one that has ended, on behalf of the
   * caller. If that is a dead letter, it is settled, once.
   *
   * @throws PatchbayError as `enqueue`; `execution_not_found`; `conflict` if it has not ended.
   */
  rerun(id: string, context: RequestContext): Promise<ExecutionRow>;
  /**
   * The logs of an execution so far. Lines of one that runs in another process arrive at its end.
   *
   * @throws PatchbayError `execution_not_found`.
   */
  logs(id: string, context: RequestContext): Promise<ExecutionLogs>;
  /**
   * The same as a stream until the execution has ended. Fails with the reason of the context's signal.
   *
   * @param from Position to resume from. Default: the beginning.
   * @throws PatchbayError `execution_not_found`.
   */
  followLogs(id: string, from: LogPlace | undefined, context: RequestContext): Promise<AsyncIterable<LogEvent>>;
  /** The error with which `execute` would have failed, for an execution that has ended without an output. */
  failure(row: ExecutionRow): PatchbayError;
  /** @throws PatchbayError `execution_not_found`. */
  get(id: string, context: RequestContext): Promise<ExecutionRow>;
  /** Executions of all functions, optionally with one status. */
  list(
    status: ExecutionStatus | undefined,
    page: PageRequest<'createdAt'>,
    context: RequestContext,
  ): Promise<PageResult<ExecutionSummary>>;
  /** @throws PatchbayError `function_not_found`. */
  listForFunction(
    functionId: string,
    page: PageRequest<'createdAt'>,
    context: RequestContext,
  ): Promise<PageResult<ExecutionSummary>>;
}
