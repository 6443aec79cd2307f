import type { PatchbayError } from '@patchbay/contracts/errors';
import { failedStep, noteStep } from '../usage/call-records.ts';
import { type AttemptResult, attempt, type FailedAttempt, type ModelCall } from './attempt.ts';
import type { DeadlineContext } from './deadline.ts';
import { faultPolicy } from './fault-policy.ts';
import type { GatewayListener } from './gateway-listener.ts';
import type { CatalogModel } from './model-catalog.ts';

type Attempting = Parameters<typeof attempt>[0] & { readonly listener: GatewayListener | undefined };

/** A stream whose model failed after its first output. */
export interface InterruptedStream {
  readonly model: CatalogModel;
  /** Before the model of the stream. */
  readonly failed: readonly FailedAttempt[];
  /** All models of the plan. */
  readonly models: readonly CatalogModel[];
  readonly deadline: DeadlineContext;
}

/**
 * Call the other models of the plan, in what is left of the time, until one continues an interrupted stream.
 *
 * @param carryOut Undefined if no model may continue it.
 * @returns undefined if none does. The attempts are those of the whole request.
 */
export async function tryOthers<T>(
  dependencies: Attempting,
  { model, failed, models, deadline }: InterruptedStream,
  failure: PatchbayError,
  carryOut: ((call: ModelCall) => Promise<T>) | undefined,
): Promise<AttemptResult<T> | undefined> {
  const { context } = deadline;
  if (context.signal.aborted) return undefined;
  const attempts = [...failed, { model: model.id, code: failure.code }];
  const { notes } = context;
  if (notes) noteStep(notes, notes.startedAt, failedStep('attempt', model.id, failure));
  const others = models.filter(({ id }) => !attempts.some((each) => each.model === id));
  const interruption = { model: model.id, code: failure.code };
  if (carryOut && others.length > 0 && faultPolicy(failure).failover && deadline.leftMs() > 0) {
    try {
      const again = await attempt(dependencies, { models: others, chosenBy: 'order' }, deadline, carryOut);
      const all = [...attempts, ...again.failed];
      const { code, message: detail, upstream } = failure;
      const log = { model: again.model.id, interrupted: model.id, code, detail, ...(upstream && { upstream }) };
      context.logger.warn('another model continues a stream', log);
      dependencies.listener?.interrupted(context, { ...interruption, failed: all, resumed: again.model.id });
      return { ...again, failed: all };
    } catch (error) {
      if (context.signal.aborted) return undefined;
      context.logger.warn('no model continues a stream', { model: model.id, error });
    }
  }
  dependencies.listener?.interrupted(context, { ...interruption, failed: attempts });
  return undefined;
}
