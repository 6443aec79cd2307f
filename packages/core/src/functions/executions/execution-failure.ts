import { type ErrorCode, errorCodes } from '@patchbay/contracts/error-codes';
import { type ErrorDetail, PatchbayError } from '@patchbay/contracts/errors';
import type { ExecutionFailure } from '@patchbay/contracts/executor';
import { failureCodes } from '@patchbay/contracts/failure-codes';
import type { ExecutionRow } from '@patchbay/contracts/rows';
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
