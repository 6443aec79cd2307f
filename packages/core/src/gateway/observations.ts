import type { Clock } from '../contracts/clock.ts';
import type { Observed } from '../contracts/router.ts';

/** What is learned of one model at one provider from the calls it gets. */
export interface Observations {
  read(): Observed;
  started(): void;
  /** @param outcome Absent where the call says nothing about the model, as when the caller left. */
  ended(outcome?: CallOutcome): void;
}

export type CallOutcome =
  | { readonly failed: true }
  | {
      readonly failed: false;
      readonly totalMs: number;
      /** Known for streams only. */
      readonly firstTokenMs?: number;
      readonly outputTokens: number;
    };

/** How fast an old average gives way to a new sample. After three of these in silence the sample is all that counts. */
const TIME_CONSTANT_MS = 5_000;
/** Failures fade as well while nobody calls: a router that keeps away from a model would never see it recover. */
const FAILURES_FADE_MS = 10_000;
/** Of a whole answer, the share that is taken for the time to its first token as long as no stream was seen. */
const FIRST_TOKEN_SHARE = 0.3;

export function createObservations(clock: Clock): Observations {
  const firstToken = createPeakAverage(clock);
  const perToken = createPeakAverage(clock);
  let answeredAt: number | undefined;
  let outputTokens: number | undefined;
  let failureRate = 0;
  let failureRateAt = 0;
  let inFlight = 0;

  const fadedFailureRate = (): number => failureRate * Math.exp((failureRateAt - clock.monotonic()) / FAILURES_FADE_MS);
  const setFailureRate = (rate: number): void => {
    failureRate = rate;
    failureRateAt = clock.monotonic();
  };

  return {
    read: () => ({
      ...present({
        firstTokenMs: firstToken.read(),
        msPerToken: perToken.read(),
        latencyAgeMs: answeredAt === undefined ? undefined : clock.monotonic() - answeredAt,
        outputTokens,
      }),
      failureRate: fadedFailureRate(),
      inFlight,
    }),
    started() {
      inFlight += 1;
    },
    ended(outcome) {
      inFlight -= 1;
      if (!outcome) return;
      if (outcome.failed) {
        const rate = fadedFailureRate();
        setFailureRate(rate + 0.1 * (1 - rate));
        return;
      }
      setFailureRate(fadedFailureRate() * 0.95);
      const { totalMs, outputTokens: tokens } = outcome;
      const first = outcome.firstTokenMs ?? Math.min(totalMs, firstToken.read() ?? totalMs * FIRST_TOKEN_SHARE);
      firstToken.add(first);
      answeredAt = clock.monotonic();
      if (tokens > 0) perToken.add((totalMs - first) / tokens);
      outputTokens = outputTokens === undefined ? tokens : outputTokens + 0.1 * (tokens - outputTokens);
    },
  };
}

/** A moving average that follows a slow-down at once and forgets it slowly: peak-EWMA, as in Finagle's balancer. */
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

type Averages = { readonly [N in 'firstTokenMs' | 'msPerToken' | 'latencyAgeMs' | 'outputTokens']: number | undefined };

function present({ firstTokenMs, msPerToken, latencyAgeMs, outputTokens }: Averages): Pick<Observed, keyof Averages> {
  // Only together are they there at all, but for the time per token, which needs an answer that has some.
  if (firstTokenMs === undefined || latencyAgeMs === undefined || outputTokens === undefined) return {};
  if (msPerToken === undefined) return { firstTokenMs, latencyAgeMs, outputTokens };
  return { firstTokenMs, msPerToken, latencyAgeMs, outputTokens };
}
