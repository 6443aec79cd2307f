import type { RequestContext } from '../contracts/context.ts';
import type { JsonObject } from '../contracts/json.ts';
import type { ExecutionRow } from '../contracts/rows.ts';
import type { ExecutionSummary, PageRequest, PageResult } from './function-input.ts';

/** Runs functions and keeps a record of each run. */
export interface ExecutionService {
  /**
   * Run a function once, and resolve to its completed execution.
   *
   * @throws PatchbayError `function_not_found`, `input_invalid`; with the failed execution in its extensions
   *   `function_failed`, `function_timeout`, `function_output_invalid`, `function_resource_exceeded`,
   *   `execution_cancelled`;
   *   `executor_unavailable`, `overloaded`.
   */
  execute(functionId: string, input: JsonObject, context: RequestContext): Promise<ExecutionRow>;
  /**
   * Have a function run later, once, and resolve to its execution, which waits. It is kept, also over restarts of the
   * server, and runs the version that the function has now, on behalf of the caller.
   *
   * @throws PatchbayError `function_not_found`, `input_invalid`, `executor_unavailable`, `concurrency_limited`.
   */
  enqueue(functionId: string, input: JsonObject, context: RequestContext): Promise<ExecutionRow>;
  /**
   * Cancel an execution that waits or runs. One that was cancelled before is answered as it is.
   *
   * @throws PatchbayError `execution_not_found`; `conflict` where it has ended in another way.
   */
  cancel(id: string, context: RequestContext): Promise<ExecutionRow>;
  /** @throws PatchbayError `execution_not_found`. */
  get(id: string, context: RequestContext): Promise<ExecutionRow>;
  /** @throws PatchbayError `function_not_found`. */
  listForFunction(
    functionId: string,
    page: PageRequest<'createdAt'>,
    context: RequestContext,
  ): Promise<PageResult<ExecutionSummary>>;
}
