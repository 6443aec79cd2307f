import { failureCodes } from '@patchbay/core/failure-codes';

/** Executions in the background end by a request that cancels them, not by a client that disconnects. */
const codes: Readonly<Record<string, string>> = { ...failureCodes, cancelled: 'execution_cancelled' };

/** The code of a failure, as it is in responses, and so in tests. @param reason In the execution. */
export function failureCode(reason: string | undefined): string {
  if (reason === undefined) return 'function_failed';
  return (Object.hasOwn(codes, reason) ? codes[reason] : undefined) ?? reason;
}

/** Failures of all cells with a model, which a run must not mistake for answers of the model. */
export const concernsModel: ReadonlySet<string> = new Set([
  'model_not_found',
  'model_unpriced',
  'provider_auth_failed',
  'provider_not_configured',
]);
