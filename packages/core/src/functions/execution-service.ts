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
   *   `function_failed`, `function_timeout`, `function_output_invalid`, `function_resource_exceeded`;
   *   `executor_unavailable`, `overloaded`.
   */
  execute(functionId: string, input: JsonObject, context: RequestContext): Promise<ExecutionRow>;
  /** @throws PatchbayError `execution_not_found`. */
  get(id: string, context: RequestContext): Promise<ExecutionRow>;
  /** @throws PatchbayError `function_not_found`. */
  listForFunction(
    functionId: string,
    page: PageRequest<'createdAt'>,
    context: RequestContext,
  ): Promise<PageResult<ExecutionSummary>>;
}
