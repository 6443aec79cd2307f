import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '@patchbay/contracts/clock';
import { PatchbayError } from '@patchbay/contracts/errors';
import { providerError } from '@patchbay/contracts/provider-error';
import { failedStep, noteStep } from '../usage/call-records.ts';
import { type DeadlineContext, type FallbackAfter, type SilenceLimits, silenceLimits } from './deadline.ts';
import { type CallMeter, createCallMeter, type Deployments } from './deployments.ts';
import { asProviderFailure, faultPolicy } from './fault-policy.ts';
import type { CatalogModel } from './model-catalog.ts';
import type { Plan } from './plan.ts';

interface AttemptDependencies {
  readonly deployments: Deployments;
  readonly retryBudget: RetryBudget;
  readonly clock: Clock;
  readonly random: () => number;
  readonly fallbackAfter: FallbackAfter;
}

/** A failed attempt, for the caller and the log. */
export interface FailedAttempt {
  readonly model: string;
  readonly code: string;
}

/** One call of one model within a request. */
export interface ModelCall {
  readonly model: CatalogModel;
  /** Records the outcome of the call. */
  readonly meter: CallMeter;
  readonly deadline: DeadlineContext;
  /** Of a stream. */
  readonly silence: SilenceLimits;
}

export interface AttemptResult<T> {
  readonly value: T;
  readonly model: CatalogModel;
  readonly failed: readonly FailedAttempt[];
}

/** Maximum wait for a rate-limited model. A circuit opened by failures takes longer. */
const LONGEST_WAIT_MS = 2_000;
const RETRY_DELAY_MS = 250;

/**
 * Call models in order until one responds.
 *
 * This function is the only owner of retries. Fallbacks are immediate. One model is retried, once: the one that the caller
 * named, before its fallbacks, or the only one that was called; after a delay, within the retry budget and the deadline.
 * Every call needs admission by the model's circuit breaker; if no circuit admits it, the request fails immediately.
 *
 * @param carryOut Performs the call and reports the outcome to the meter; rejections are reported here. It must reach
 *   its commit point before it resolves: there are no retries after that.
 */
export async function attempt<T>(
  dependencies: AttemptDependencies,
  { models, chosenBy }: Pick<Plan, 'models' | 'chosenBy'>,
  deadline: DeadlineContext,
  carryOut: (call: ModelCall) => Promise<T>,
): Promise<AttemptResult<T>> {
  const { deployments, retryBudget, clock } = dependencies;
  const failed: FailedAttempt[] = [];
  let last: PatchbayError | undefined;
  retryBudget.request();

  const ask = async (model: CatalogModel, isLast: boolean): Promise<AttemptResult<T> | undefined> => {
    const admitted = deployments.of(model.id).breaker.admit();
    if (!admitted) return undefined;
    const meter = createCallMeter(dependencies, model, admitted);
    const from = clock.monotonic();
    try {
      const silence = silenceLimits(model, isLast, dependencies.fallbackAfter);
      const value = await deadline.race(carryOut({ model, meter, deadline, silence }));
      return { value, model, failed };
    } catch (error) {
      if (isCallerGone(deadline, error)) {
        meter.abandoned();
        throw deadline.context.signal.reason;
      }
      last = asProviderFailure(error, model.provider);
      meter.failed(last);
      failed.push({ model: model.id, code: last.code });
      noteStep(deadline.context.notes, from, failedStep('attempt', model.id, last));
      if (!faultPolicy(last).failover || deadline.leftMs() === 0) throw withAttempts(last, failed);
      return undefined;
    }
  };

  for (const [index, model] of models.entries()) {
    const isLast = !models.some(({ id }, place) => place > index && deployments.of(id).breaker.waitMs() === 0);
    let answer = await ask(model, isLast);
    const isWanted = index === 0 && chosenBy === 'caller';
    if (!answer && isWanted && last && (await mayAskAgain(dependencies, model, last, deadline))) {
      answer = await ask(model, isLast);
    }
    if (answer) return answer;
  }

  const again = last ? only(models, failed) : limitedBriefly(models, deployments);
  if (again && (await mayAskAgain(dependencies, again, last, deadline))) {
    const answer = await ask(again, true);
    if (answer) return answer;
  }
  throw withAttempts(last ?? noneAdmitted(models, deployments), failed);
}

/** The model that failed, if it was the only candidate. */
function only(models: readonly CatalogModel[], failed: readonly FailedAttempt[]): CatalogModel | undefined {
  return failed.length === 1 ? models.find(({ id }) => id === failed[0]?.model) : undefined;
}

/** The model whose rate limit ends first, if that is soon enough to wait for. Circuits opened by failures do not count. */
function limitedBriefly(models: readonly CatalogModel[], deployments: Deployments): CatalogModel | undefined {
  const breakerOf = ({ id }: CatalogModel) => deployments.of(id).breaker;
  return models
    .filter((model) => breakerOf(model).coolingMs() > 0 && breakerOf(model).waitMs() <= LONGEST_WAIT_MS)
    .toSorted((one, other) => breakerOf(one).waitMs() - breakerOf(other).waitMs())[0];
}

async function mayAskAgain(
  { deployments, retryBudget, random }: AttemptDependencies,
  model: CatalogModel,
  last: PatchbayError | undefined,
  deadline: DeadlineContext,
): Promise<boolean> {
  if (last && !faultPolicy(last).retry) return false;
  const pause = deployments.of(model.id).breaker.waitMs() || (last ? RETRY_DELAY_MS * (0.5 + random() / 2) : 0);
  if (pause > LONGEST_WAIT_MS || pause >= deadline.leftMs()) return false;
  if (last && !retryBudget.take()) return false;
  // A timer may fire a fraction of a millisecond early, while the breaker still refuses.
  if (pause > 0) await deadline.race(delay(Math.ceil(pause) + 1));
  return true;
}

function isCallerGone(deadline: DeadlineContext, error: unknown): boolean {
  const { signal } = deadline.context;
  return signal.aborted && !(deadline.blamesModel && PatchbayError.is(error) && error.upstream?.kind === 'timeout');
}

/** Every circuit is open, or half-open with a probe in progress. */
function noneAdmitted(models: readonly CatalogModel[], deployments: Deployments): PatchbayError {
  const breakers = models.map(({ id }) => deployments.of(id).breaker);
  const soonest = Math.min(...breakers.map((breaker) => breaker.waitMs()));
  const retryAfter = Math.max(1, Math.ceil(soonest / 1_000));
  if (breakers.every((breaker) => breaker.coolingMs() > 0)) {
    return providerError('rate_limited', 'the provider is rate limiting this server', { retryAfter: `${retryAfter}` });
  }
  const [only] = models;
  const what = models.length === 1 && only ? `${only.id} has` : 'all models for this request have';
  return new PatchbayError('no_provider_available', `${what} failed repeatedly; the circuit is open`, { retryAfter });
}

function withAttempts(error: PatchbayError, attempts: readonly FailedAttempt[]): PatchbayError {
  const { code, cause, errors, retryAfter, extensions, upstream } = error;
  return new PatchbayError(code, messageOf(error, attempts), {
    cause,
    errors,
    extensions: { ...extensions, ...boundAttempts(attempts) },
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(upstream === undefined ? {} : { upstream }),
  });
}

/** Names the unreachable provider; its address is only logged. */
function messageOf({ message, upstream }: PatchbayError, attempts: readonly FailedAttempt[]): string {
  const { model } = attempts.at(-1) ?? {};
  return upstream?.kind === 'unreachable' && model !== undefined ? `${providerOf(model)}: ${message}` : message;
}

/**
 * Limits retries to a tenth of all requests: while an upstream is down, retries by every caller would
 * keep it down.
 */
export interface RetryBudget {
  /** Count one request. */
  request(): void;
  /** Take one retry, if one is left. */
  take(): boolean;
}

const SHARE = 0.1;
const RESERVE = 10;

export function createRetryBudget(): RetryBudget {
  let tokens = RESERVE;
  return {
    request() {
      tokens = Math.min(RESERVE, tokens + SHARE);
    },
    take() {
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
  };
}

/** Maximum number of listed attempts per provider, whose models usually fail alike. */
const PER_PROVIDER = 3;

/** The attempts listed by an error: the first ones of each provider, and the number of further ones. */
function boundAttempts(attempts: readonly FailedAttempt[]) {
  const counts = new Map<string, number>();
  const listed = attempts.filter(({ model }) => {
    const provider = providerOf(model);
    const count = (counts.get(provider) ?? 0) + 1;
    counts.set(provider, count);
    return count <= PER_PROVIDER;
  });
  const more = [...counts].filter(([, count]) => count > PER_PROVIDER);
  return {
    attempts: listed.map(({ model, code }) => ({ model, code })),
    ...(more.length > 0 && {
      moreAttempts: Object.fromEntries(more.map(([provider, count]) => [provider, count - PER_PROVIDER])),
    }),
  };
}

/** Of `provider/model`. */
function providerOf(model: string): string {
  return model.slice(0, model.indexOf('/'));
}
