import type { Candidate } from '@patchbay/core/plugin';
import type { ReplayedCall } from './read-calls.ts';

type Known = Pick<Candidate, 'observed' | 'fit' | 'scores'>;

interface Counts {
  readonly scores: { count: number; sum: number; squares: number; given: number };
  readonly fit: { asked: number; mended: number; askedAgain: number; failed: number };
}

interface Speed {
  calls: number;
  durationMs: number;
  tokens: number;
  failures: number;
}

/**
 * The facts that a router would have had at each call. Scores count from the time at which they were given. Unlike on a
 * server, old ones do not decay.
 */
export function createScoreMemory(calls: readonly ReplayedCall[]) {
  const counts = new Map<string, Counts>();
  const speeds = new Map<string, Speed>();
  const waiting = calls
    .filter(({ scoredAt }) => scoredAt !== undefined)
    .sort((one, other) => (one.scoredAt ?? 0) - (other.scoredAt ?? 0));
  let next = 0;

  const countsOf = (task: string, model: string): Counts => {
    const key = JSON.stringify([task, model]);
    const found = counts.get(key) ?? {
      scores: { count: 0, sum: 0, squares: 0, given: 0 },
      fit: { asked: 0, mended: 0, askedAgain: 0, failed: 0 },
    };
    counts.set(key, found);
    return found;
  };

  const learnUntil = (time: number): void => {
    for (let call = waiting[next]; call && (call.scoredAt ?? 0) <= time; call = waiting[next]) {
      next += 1;
      const { scores } = countsOf(call.task, call.model);
      const score = call.score ?? 0;
      scores.count += 1;
      scores.given += 1;
      scores.sum += score;
      scores.squares += score ** 2;
    }
  };

  return {
    read(call: ReplayedCall, model: string): Known {
      learnUntil(call.endedAt - call.durationMs);
      const { scores, fit } = countsOf(call.task, model);
      const speed = speeds.get(model);
      const observed = {
        failureRate: speed ? speed.failures / speed.calls : 0,
        inFlight: 0,
        ...(speed && { firstTokenMs: speed.durationMs / speed.calls, outputTokens: speed.tokens / speed.calls }),
      };
      return {
        observed,
        ...(scores.count > 0 && { scores: { ...scores } }),
        ...(fit.asked > 0 && { fit: { ...fit } }),
      };
    },
    ended({ task, model, outcome, durationMs, completionTokens }: ReplayedCall): void {
      const { fit } = countsOf(task, model);
      fit.asked += 1;
      if (outcome === 'repaired') fit.askedAgain += 1;
      const speed = speeds.get(model) ?? { calls: 0, durationMs: 0, tokens: 0, failures: 0 };
      speed.calls += 1;
      speed.durationMs += durationMs;
      speed.tokens += completionTokens;
      if (outcome === 'failed') speed.failures += 1;
      speeds.set(model, speed);
    },
  };
}
