import { type ErrorDetail, PatchbayError } from '@patchbay/contracts/errors';
import type { FunctionSettings, Metric } from '@patchbay/contracts/function-settings';

/** The metric of feedback that names none. It needs no declaration. */
export const DEFAULT_METRIC = 'score';

/** The metrics of a function, or of answers without one. */
export function metricsOf({ metrics = {} }: Pick<FunctionSettings, 'metrics'>): ReadonlyMap<string, Metric> {
  return new Map([[DEFAULT_METRIC, { optimize: 'max' }], ...Object.entries(metrics)]);
}

/**
 * Check that a metric accepts a value.
 *
 * @throws PatchbayError `invalid_request` with the member at fault.
 */
export function checkMetric(
  metrics: ReadonlyMap<string, Metric>,
  name: string,
  value: boolean | number | string,
): void {
  const metric = metrics.get(name);
  if (!metric) {
    const names = [...metrics.keys()].toSorted().join(', ');
    throw refusal({ pointer: '/metric', code: 'undeclared_metric', detail: `must be one of ${names}` });
  }
  const fault = scoreFault(metric, value, '/value');
  if (fault) throw refusal(fault);
}

/** Why a metric does not accept a value. */
export function scoreFault(
  { optimize }: Metric,
  value: boolean | number | string,
  pointer: string,
): ErrorDetail | undefined {
  if (optimize === undefined || typeof value === 'boolean') return undefined;
  if (typeof value === 'number' && value >= 0 && value <= 1) return undefined;
  const detail = 'must be a boolean, or a number from 0 to 1, for a metric to optimize';
  return { pointer, code: 'unsupported_value', detail };
}

function refusal(error: ErrorDetail): PatchbayError {
  return new PatchbayError('invalid_request', 'the settings of the function do not provide for this feedback', {
    errors: [error],
  });
}
