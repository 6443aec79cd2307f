import type { ErrorCode } from './error-codes.ts';
import type { ExecutionFailure } from './executor.ts';

/**
 * The error code in responses, and in the tests of a function, for each reason of a failed execution.
 *
 * @example
 * ```ts
 * import { failureCodes } from '@patchbay/core/failure-codes';
 *
 * failureCodes.wall_limit; // 'function_timeout'
 * ```
 */
export const failureCodes = {
  function_threw: 'function_failed',
  load_failed: 'function_failed',
  exited_early: 'function_failed',
  never_settled: 'function_failed',
  protocol_violation: 'function_failed',
  output_unserializable: 'function_output_invalid',
  output_invalid: 'function_output_invalid',
  output_too_large: 'function_resource_exceeded',
  memory_limit: 'function_resource_exceeded',
  cpu_limit: 'function_resource_exceeded',
  call_limit: 'function_resource_exceeded',
  wall_limit: 'function_timeout',
  cancelled: 'client_closed_request',
} as const satisfies Readonly<Record<ExecutionFailure, ErrorCode>>;
