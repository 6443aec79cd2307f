import type { RequestContext } from '../../contracts/context.ts';
import { PatchbayError } from '../../contracts/errors.ts';
import type { AskedObject } from './ask-for-object.ts';
import type { Fit, TaskFits } from './task-fits.ts';

/** For which function a model was asked. */
export interface AskedFor {
  readonly functionName: string | undefined;
  /** `<provider>/<model_name>`. */
  readonly model: string;
}

/**
 * Note how well a model kept to a schema, by the name of the function: in the log, and for the router. Of a provider that
 * failed nothing is noted: that says nothing of the model's answers.
 */
export async function noteFit(
  { functionName, model }: AskedFor,
  { logger, execution, caller }: RequestContext,
  fits: TaskFits,
  asking: Promise<AskedObject>,
): Promise<AskedObject> {
  const note = (fit: Fit, asked?: number): void => {
    const of = { function: functionName, functionId: execution?.functionId };
    logger.info('a model returned an object', { ...of, model, fit, asked });
    if (functionName !== undefined) fits.add({ tenant: caller.tenant, functionName }, model, fit);
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

function fitOf({ results, warnings }: AskedObject): Fit {
  if (results.length > 1) return 'asked-again';
  return warnings.length > 0 ? 'mended' : 'fitted';
}
