/** Codes with which a function fails, by the reason in its execution: as they are in responses, and so in tests. */
const codes: Readonly<Record<string, string>> = {
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
};

/** The code of a failure. @param reason In the execution. */
export function failureCode(reason: string | undefined): string {
  return reason === undefined ? 'function_failed' : (codes[reason] ?? reason);
}

/** Failures of all cells with a model, which a run must not take for answers of the model. */
export const concernsModel: ReadonlySet<string> = new Set([
  'model_not_found',
  'model_unpriced',
  'provider_auth_failed',
  'provider_not_configured',
]);
