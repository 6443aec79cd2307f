import type { ErrorCode } from '../contracts/error-codes.ts';
import type { ExecutionFailure } from '../contracts/executor.ts';

/** The public code for each way in which a run can fail. */
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
