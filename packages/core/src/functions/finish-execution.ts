import type { ErrorCode } from '../contracts/error-codes.ts';
import type { ErrorDetail } from '../contracts/errors.ts';
import type { ExecutionOutcome } from '../contracts/executor.ts';
import type { JsonObject } from '../contracts/json.ts';
import type { ExecutionStatus } from '../contracts/rows.ts';
import type { Changes } from '../contracts/storage.ts';
import type { CheckedOutput } from './check-output.ts';
import { failureCodes } from './execution-failure.ts';
import { interruption } from './executions/execution-states.ts';

/**
 * Why a run was ended from outside: its caller left, the host stops, somebody cancelled the execution, or it was ended
 * through another process.
 */
export type AbortCause = 'caller' | 'stop' | 'cancel' | 'elsewhere';

/** What to record of a run, and what to tell the caller where it did not complete. */
export interface FinishedExecution {
  readonly changes: Changes<'executions'> & { readonly status: ExecutionStatus };
  readonly failure?: Failure;
}

export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly errors: readonly ErrorDetail[];
}

/** Judge how a run ended. Only output that fits the schema makes it `completed`. */
export async function finishExecution(
  outcome: ExecutionOutcome,
  checkOutput: (text: string) => Promise<CheckedOutput>,
  cause: AbortCause | undefined,
): Promise<FinishedExecution> {
  const record = {
    logs: outcome.logs.map((line) => ({ ...line })),
    logsTruncated: outcome.logsTruncated,
    durationMs: Math.round(outcome.durationMs),
    usage: outcome.usage ?? null,
  };
  if (outcome.status === 'completed') {
    const { output, faults } = await checkOutput(outcome.output);
    if (!faults) return { changes: { ...record, status: 'completed', output } };
    const message = 'the output does not fit the output schema of the function';
    const error = { code: 'output_invalid', message, errors: faults.map((entry) => ({ ...entry })) };
    return {
      changes: { ...record, status: 'failed', error },
      failure: { code: 'function_output_invalid', message, errors: faults },
    };
  }
  const { reason, message, stack } = outcome.error;
  if (outcome.status === 'cancelled' && cause === 'stop') {
    return {
      changes: { ...record, status: 'interrupted', error: interruption },
      failure: { code: 'shutting_down', message: interruption.message, errors: [] },
    };
  }
  const wasCancelled = outcome.status === 'cancelled' && (cause === 'cancel' || cause === 'elsewhere');
  const error: JsonObject = stack === undefined ? { code: reason, message } : { code: reason, message, stack };
  return {
    changes: { ...record, status: outcome.status, error },
    failure: { code: wasCancelled ? 'execution_cancelled' : failureCodes[reason], message, errors: [] },
  };
}
