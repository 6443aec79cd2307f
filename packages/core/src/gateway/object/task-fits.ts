import { nameKey } from '../../base/names.ts';
import type { Clock } from '../../contracts/clock.ts';
import type { RequestContext } from '../../contracts/context.ts';
import { PatchbayError } from '../../contracts/errors.ts';
import type { TaskFit } from '../../contracts/router.ts';
import type { TenantId } from '../../contracts/tenant.ts';
import type { AskedObject } from './ask-for-object.ts';

/** How a requested object was obtained. */
type Fit = 'fitted' | 'mended' | 'asked-again' | 'failed';

/** A function of a tenant. */
interface TaskOf {
  readonly tenant: TenantId;
  /** Its name, or its name as an identifier. */
  readonly functionName: string;
}

/** Counts how well models follow the output schemas of functions. In the memory of this process. */
export interface TaskFits {
  add(task: TaskOf, model: string, fit: Fit): void;
  /** Undefined without a record. */
  read(task: TaskOf, model: string): TaskFit | undefined;
}

/** Counts decay, so that an improved model gets another chance although it is avoided. */
const FADES_MS = 6 * 3_600_000;
/** Counts below this are negligible. */
const FORGOTTEN_BELOW = 0.05;
/** Maximum number of functions: the most recently called ones, because callers can use any names. */
const KEPT_TASKS = 1_000;

interface Counts extends TaskFit {
  readonly at: number;
}

const nothing: TaskFit = { asked: 0, mended: 0, askedAgain: 0, failed: 0 };

export function createTaskFits(clock: Clock): TaskFits {
  const tasks = new Map<string, Map<string, Counts>>();
  const keyOf = ({ tenant, functionName }: TaskOf): string =>
    JSON.stringify([tenant, nameKey(functionName) || functionName]);

  const read = (key: string, model: string): TaskFit | undefined => {
    const counts = tasks.get(key)?.get(model);
    if (!counts) return undefined;
    const left = Math.exp((counts.at - clock.monotonic()) / FADES_MS);
    if (counts.asked * left < FORGOTTEN_BELOW) return undefined;
    const { asked, mended, askedAgain, failed } = counts;
    return { asked: asked * left, mended: mended * left, askedAgain: askedAgain * left, failed: failed * left };
  };

  return {
    read: (task, model) => read(keyOf(task), model),
    add(task, model, fit) {
      const key = keyOf(task);
      const before = read(key, model) ?? nothing;
      const models = tasks.get(key) ?? new Map<string, Counts>();
      models.set(model, {
        asked: before.asked + 1,
        mended: before.mended + Number(fit === 'mended'),
        askedAgain: before.askedAgain + Number(fit === 'asked-again'),
        failed: before.failed + Number(fit === 'failed'),
        at: clock.monotonic(),
      });
      // Map order: the most recently called last.
      tasks.delete(key);
      tasks.set(key, models);
      const [oldest] = tasks.keys();
      if (tasks.size > KEPT_TASKS && oldest !== undefined) tasks.delete(oldest);
    },
  };
}

/**
 * Record how well a model followed a schema, per function, in the log and for the router. Nothing is recorded for
 * a provider that failed: that says nothing about the model's completions.
 */
export async function noteFit(
  fits: TaskFits,
  functionName: string | undefined,
  model: string,
  { logger, execution, caller }: RequestContext,
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
