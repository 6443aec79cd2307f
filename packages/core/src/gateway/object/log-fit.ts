import type { RequestContext } from '../../contracts/context.ts';
import { PatchbayError } from '../../contracts/errors.ts';
import type { AskedObject } from './ask-for-object.ts';

/** For which function a model was asked. */
export interface AskedFor {
  readonly functionName: string | undefined;
  /** `<provider>/<model_name>`. */
  readonly model: string;
}

/**
 * Log how well a model kept to a schema, by the name of the function: `ok` at once, `repaired` where it was asked again
 * or its JSON had to be mended, `failed` where nothing that it said fits. Of a provider that failed nothing is logged:
 * that says nothing of the model's answers.
 */
export async function logFit(
  { functionName, model }: AskedFor,
  { logger, execution }: RequestContext,
  asking: Promise<AskedObject>,
): Promise<AskedObject> {
  const log = (fit: 'ok' | 'repaired' | 'failed', asked?: number): void => {
    const of = { function: functionName, functionId: execution?.functionId };
    logger.info('a model was asked for an object', { ...of, model, fit, asked });
  };
  try {
    const object = await asking;
    log(object.warnings.length > 0 ? 'repaired' : 'ok', object.results.length);
    return object;
  } catch (error) {
    if (PatchbayError.is(error) && error.code === 'function_output_invalid') log('failed');
    throw error;
  }
}
