import { describe, expect, it } from 'vitest';
import { type Chances, type Estimate, estimateOutcome, type LoggedCall } from './off-policy.ts';

/** Uniform in [0, 1): the same numbers for the same seed (mulberry32). */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The probability of a good response by three models at two tasks. */
const qualities: Readonly<Record<string, Chances>> = {
  summarize: { large: 0.9, middle: 0.8, small: 0.5 },
  classify: { large: 0.7, middle: 0.4, small: 0.7 },
};

/** Calls by a router that explores the other models more at first than later. */
function logOf(count: number, seed: number): readonly LoggedCall[] {
  const random = chance(seed);
  return Array.from({ length: count }, (_, place): LoggedCall => {
    const task = random() < 0.5 ? 'summarize' : 'classify';
    const share = place < count / 2 ? 0.15 : 0.05;
    const chances = { large: 1 - 2 * share, middle: share, small: share };
    const drawn = random();
    const model = drawn < share ? 'small' : drawn < 2 * share ? 'middle' : 'large';
    return { task, model, chances, outcome: random() < (qualities[task]?.[model] ?? 0) ? 1 : 0 };
  });
}

const policies: Readonly<Record<string, (call: LoggedCall) => Chances>> = {
  'one model': () => ({ small: 1 }),
  'the best model of each task': ({ task }) => (task === 'summarize' ? { large: 1 } : { small: 1 }),
  'a mixture': () => ({ large: 0.5, middle: 0.3, small: 0.2 }),
};

function truthOf(policy: (call: LoggedCall) => Chances): number {
  const meanAt = (task: string): number =>
    Object.entries(policy({ task, model: '', chances: {}, outcome: 0 })).reduce(
      (total, [model, share]) => total + share * (qualities[task]?.[model] ?? 0),
      0,
    );
  return (meanAt('summarize') + meanAt('classify')) / 2;
}

const LOGS = 100;

describe('estimates of another policy', () => {
  const logs = Array.from({ length: LOGS }, (_, seed) => logOf(800, seed + 1));

  for (const [name, policy] of Object.entries(policies)) {
    it(`of ${name} have no bias, and their intervals contain the truth 95 times out of 100`, () => {
      const truth = truthOf(policy);
      const estimates = logs.map((calls) => estimateOutcome(calls, calls.map(policy)));
      for (const estimator of ['ips', 'snips', 'doublyRobust'] as const) {
        const all = estimates.map((each): Estimate => each[estimator]);
        const mean = all.reduce((total, each) => total + each.mean, 0) / LOGS;
        const covered = all.filter(({ low, high }) => low <= truth && truth <= high).length / LOGS;
        expect(Math.abs(mean - truth), `${estimator}: ${mean} instead of ${truth}`).toBeLessThan(0.015);
        expect(covered, `${estimator} covers`).toBeGreaterThan(0.9);
        expect(covered, `${estimator} covers`).toBeLessThan(0.995);
      }
    });
  }

  it('have weights that average 1, and less if the improbable calls of a policy are missing', () => {
    const weightOf = (calls: readonly LoggedCall[]) =>
      estimateOutcome(
        calls,
        calls.map(() => ({ small: 1 })),
      ).weight;
    const covered = logs.map(weightOf).filter(({ low, high }) => low <= 1 && 1 <= high).length / LOGS;
    expect(covered).toBeGreaterThan(0.9);
    const [log = []] = logs;
    expect(weightOf(log.filter(({ model }, place) => model !== 'small' || place > 600)).high).toBeLessThan(1);
  });

  it('have narrower intervals if they are doubly robust than with inverse propensities', () => {
    const widths = logs.map((calls) => {
      const { ips, doublyRobust } = estimateOutcome(
        calls,
        calls.map(() => ({ small: 1 })),
      );
      return { ips: ips.high - ips.low, doublyRobust: doublyRobust.high - doublyRobust.low };
    });
    const ratio = widths.reduce((total, { ips, doublyRobust }) => total + doublyRobust / ips, 0) / LOGS;
    expect(ratio).toBeLessThan(0.9);
  });

  it('of the policy that made the calls is their mean, and each call counts', () => {
    const [calls = []] = logs;
    const { ips, snips, effectiveCalls, untried } = estimateOutcome(
      calls,
      calls.map(({ chances }) => chances),
    );
    const mean = calls.reduce((total, { outcome }) => total + outcome, 0) / calls.length;
    expect(ips.mean).toBeCloseTo(mean, 10);
    expect(snips.mean).toBeCloseTo(mean, 10);
    expect(effectiveCalls).toBeCloseTo(calls.length, 6);
    expect(untried).toBe(0);
  });

  it('count few calls for a model that was rarely called, and none for one that could not be', () => {
    const [calls = []] = logs;
    const rare = estimateOutcome(
      calls,
      calls.map(() => ({ small: 1 })),
    );
    expect(rare.effectiveCalls).toBeLessThan(150);
    expect(rare.untried).toBe(0);
    const never = estimateOutcome(
      calls,
      calls.map(() => ({ other: 1 })),
    );
    expect(never).toMatchObject({ effectiveCalls: 0 });
    expect(never.untried).toBeCloseTo(1, 10);
  });
});
