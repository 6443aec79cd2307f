import type { Clock } from '@patchbay/contracts/clock';
import type { PatchbayError } from '@patchbay/contracts/errors';
import type { Observed } from '@patchbay/contracts/router';
import { type AdmittedRequest, type CircuitBreaker, createCircuitBreaker, type OnTurn } from './circuit-breaker.ts';
import { faultPolicy } from './fault-policy.ts';

/** The state of one model at one provider. */
export interface Deployment {
  readonly breaker: CircuitBreaker;
  readonly observations: Observations;
}

/** The state of all models, by id. */
export interface Deployments {
  /** Undefined for an unknown model. */
  find(id: string): Deployment | undefined;
  of(id: string): Deployment;
  all(): readonly (readonly [id: string, deployment: Deployment])[];
  /** All deployments of one provider: a key that is rejected for one model is rejected for all. */
  ofProvider(provider: string): readonly Deployment[];
}

/**
 * @param known Deployments that exist already, by id.
 * @param onTurn Called when the circuit of a model opens, and when it closes again.
 */
export function createDeployments(
  ids: Iterable<string>,
  clock: Clock,
  known: ReadonlyMap<string, Deployment> = new Map(),
  onTurn: (id: string, ...turn: Parameters<OnTurn>) => void = () => {},
): Deployments {
  const fresh = (id: string) => {
    const breaker = createCircuitBreaker(clock, (turn) => onTurn(id, turn));
    return { breaker, observations: createObservations(clock) };
  };
  const deployments = new Map([...ids].map((id) => [id, known.get(id) ?? fresh(id)]));
  return {
    find: (id) => deployments.get(id),
    of(id) {
      const found = deployments.get(id);
      if (!found) throw new Error(`no deployment of ${id}`);
      return found;
    },
    all: () => [...deployments],
    ofProvider: (provider) =>
      [...deployments].filter(([id]) => id.startsWith(`${provider}/`)).map(([, found]) => found),
  };
}

/** Tracks one call of one model, and records its outcome in the deployment. Only the first outcome counts. */
export interface CallMeter {
  firstToken(): void;
  succeeded(outputTokens: number): void;
  failed(error: PatchbayError): void;
  /** The caller disconnected: no observation of the model. */
  abandoned(): void;
}

/** Pause of a rate-limited model without a Retry-After. */
const DEFAULT_COOL_DOWN_MS = 2_000;

export function createCallMeter(
  { deployments, clock }: { readonly deployments: Deployments; readonly clock: Clock },
  model: { readonly id: string; readonly provider: string },
  admitted: AdmittedRequest,
): CallMeter {
  const { breaker, observations }: Deployment = deployments.of(model.id);
  const startedAt = clock.monotonic();
  let firstTokenMs: number | undefined;
  let over = false;
  observations.started();

  const end = (tell: () => void): void => {
    if (over) return;
    over = true;
    tell();
  };

  return {
    firstToken() {
      firstTokenMs ??= clock.monotonic() - startedAt;
    },
    succeeded(outputTokens) {
      end(() => {
        admitted.succeeded();
        const totalMs = clock.monotonic() - startedAt;
        observations.ended({ failed: false, totalMs, outputTokens, firstTokenMs });
      });
    },
    failed(error) {
      end(() => {
        const { breaker: verdict } = faultPolicy(error);
        // Of many requests in progress at an outage, only the first failures count.
        const isNews = verdict !== 'released' && breaker.state() !== 'open';
        observations.ended(isNews ? { failed: true } : undefined);
        if (verdict === 'failed') admitted.failed();
        else if (verdict === 'trip') breaker.trip();
        else if (verdict === 'trip-provider')
          for (const other of deployments.ofProvider(model.provider)) other.breaker.trip();
        else if (verdict === 'cool-down') breaker.coolDown((error.retryAfter ?? 0) * 1_000 || DEFAULT_COOL_DOWN_MS);
        else admitted.released();
      });
    },
    abandoned() {
      end(() => {
        admitted.released();
        observations.ended();
      });
    },
  };
}

/** Statistics of one model at one provider. */
export interface Observations {
  /** @param now Of the monotonic clock, for callers that read many. */
  read(now?: number): Observed;
  started(): void;
  /** @param outcome Absent if the call does not count as an observation, as when the caller disconnected. */
  ended(outcome?: CallOutcome): void;
}

type CallOutcome =
  | { readonly failed: true }
  | {
      readonly failed: false;
      readonly totalMs: number;
      /** Known for streams only. */
      readonly firstTokenMs?: number | undefined;
      readonly outputTokens: number;
    };

/** Time constant of the averages. After three of these without samples, only a new sample counts. */
const TIME_CONSTANT_MS = 5_000;
/** Requests that were begun fade as if each of them took about this long. */
const RECENT_FADES_MS = 1_000;
/** Failures decay without calls, too: a router that avoids a model would never see it recover. */
const FAILURES_FADE_MS = 10_000;
/**
 * Ages and averages hardly change in this time: what was read is cached for this long, unless a call begins or ends.
 */
const READ_FOR_MS = 50;
/** Assumed share of the time to first token in a non-streamed response, before any stream was observed. */
const FIRST_TOKEN_SHARE = 0.3;

export function createObservations(clock: Clock): Observations {
  const firstToken = createPeakAverage(clock);
  const perToken = createPeakAverage(clock);
  let answered: { readonly at: number; readonly outputTokens: number } | undefined;
  let failureRate = 0;
  let failureRateAt = 0;
  let inFlight = 0;
  let begun = 0;
  let begunAt = 0;
  let lastRead: { readonly at: number; readonly observed: Observed } | undefined;

  const recent = (now: number): number => begun * Math.exp((begunAt - now) / RECENT_FADES_MS);
  const fadedFailureRate = (now: number): number =>
    failureRate === 0 ? 0 : failureRate * Math.exp((failureRateAt - now) / FAILURES_FADE_MS);

  // Written out, to avoid copies.
  const observedAt = (now: number): Observed => {
    const rate = fadedFailureRate(now);
    const firstTokenMs = firstToken.read();
    const msPerToken = perToken.read();
    if (firstTokenMs === undefined || answered === undefined) {
      return { failureRate: rate, inFlight, recent: recent(now) };
    }
    const { at, outputTokens } = answered;
    const latencyAgeMs = now - at;
    if (msPerToken === undefined) {
      return { firstTokenMs, latencyAgeMs, outputTokens, failureRate: rate, inFlight, recent: recent(now) };
    }
    return { firstTokenMs, latencyAgeMs, outputTokens, msPerToken, failureRate: rate, inFlight, recent: recent(now) };
  };

  return {
    // Runs for every candidate of every request, of which few have changed since the previous one.
    read(now = clock.monotonic()) {
      if (!lastRead || now - lastRead.at >= READ_FOR_MS) lastRead = { at: now, observed: observedAt(now) };
      return lastRead.observed;
    },
    started() {
      lastRead = undefined;
      const now = clock.monotonic();
      inFlight += 1;
      begun = recent(now) + 1;
      begunAt = now;
    },
    ended(outcome) {
      lastRead = undefined;
      inFlight -= 1;
      if (!outcome) return;
      const now = clock.monotonic();
      const rate = fadedFailureRate(now);
      failureRate = outcome.failed ? rate + 0.1 * (1 - rate) : rate * 0.95;
      failureRateAt = now;
      if (outcome.failed) return;
      const { totalMs, outputTokens: tokens } = outcome;
      const first = outcome.firstTokenMs ?? Math.min(totalMs, firstToken.read() ?? totalMs * FIRST_TOKEN_SHARE);
      firstToken.add(first);
      if (tokens > 0) perToken.add((totalMs - first) / tokens);
      const { outputTokens: usual = tokens } = answered ?? {};
      answered = { at: now, outputTokens: usual + 0.1 * (tokens - usual) };
    },
  };
}

/** A moving average that rises immediately and decays slowly: peak EWMA, as in Finagle's balancer. */
function createPeakAverage(clock: Clock): { read(): number | undefined; add(sample: number): void } {
  let value: number | undefined;
  let at = 0;
  return {
    read: () => value,
    add(sample) {
      const now = clock.monotonic();
      if (value === undefined) value = sample;
      else if (sample > value) value += 0.5 * (sample - value);
      else {
        const age = now - at;
        const weight = age < 3 * TIME_CONSTANT_MS ? 0.9 * Math.exp(-age / TIME_CONSTANT_MS) : 0;
        value = value * weight + sample * (1 - weight);
      }
      at = now;
    },
  };
}
