import { type ErrorCode, errorCodes } from '../../contracts/error-codes.ts';
import { type ErrorDetail, PatchbayError } from '../../contracts/errors.ts';
import type { ExecutionFailure } from '../../contracts/executor.ts';
import type { ExecutionRow } from '../../contracts/rows.ts';
import { executionView } from './execution-view.ts';

/** The error of an execution that has ended without an output, for callers that did not wait for it. */
export function executionFailure(row: ExecutionRow): PatchbayError {
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

/** The public error code of each failure reason. */
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
