import type { Clock } from '@patchbay/contracts/clock';
import type { RequestContext } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { CatalogModel } from '../model-catalog.ts';
import { type Fit, fitCounts } from '../model-performance/fit-counts.ts';
import type { TaskRecords } from '../model-performance/task-records.ts';
import type { TaskOf } from '../requirements.ts';
import type { AskedObject } from './ask-for-object.ts';

interface FitDependencies {
  readonly records: Pick<TaskRecords, 'add'>;
  readonly clock: Clock;
}

/**
 * Record how well a model followed a schema, per function, in the log and for the router. Nothing is recorded for
 * a provider that failed: that says nothing about the model's completions.
 */
export async function noteFit(
  { records, clock }: FitDependencies,
  task: TaskOf | undefined,
  model: CatalogModel,
  { logger, execution, trial, caller: { tenant } }: RequestContext,
  asking: Promise<AskedObject>,
): Promise<AskedObject> {
  const note = (fit: Fit, asked?: number): void => {
    const of = { function: task?.functionName, functionId: execution?.functionId };
    logger.info('a model returned an object', { ...of, model: model.id, fit, asked });
    if (!task || trial) return;
    const { functionName, settingsVersion } = task;
    const counts = { model: model.id, settingsVersion, fit: fitCounts(fit, clock.now()), scores: null };
    records.add({ tenant, functionName }, counts);
  };
  try {
    const object = await asking;
    note(fitOf(object), object.results.length);
    return object;
  } catch (error) {
    if (PatchbayError.is(error) && error.code === 'function_output_invalid') note('failed');
    throw error;
  }
}

export function fitOf({ results, warnings }: AskedObject): Fit {
  if (results.length > 1) return 'asked-again';
  return warnings.length > 0 ? 'mended' : 'fitted';
}
