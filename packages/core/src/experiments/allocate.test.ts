import { describe, expect, it } from 'vitest';
import { allocate, type StoppingRule } from './allocate.ts';

const rule: StoppingRule = { delta: 0.05, epsilon: 0.05, minPerVariant: 20 };
const scores = (count: number, mean: number) => ({ count, sum: count * mean });

describe('the calls of an experiment', () => {
  it('are shared evenly until each variant has enough scores, and no experiment ends before', () => {
    expect(allocate([scores(0, 0), scores(0, 0)], rule)).toMatchObject({ shares: [0.5, 0.5], progress: 0 });
    const early = allocate([scores(5_000, 0.9), scores(19, 0), scores(5_000, 0.1)], rule);
    expect(early.shares).toEqual([1 / 3, 1 / 3, 1 / 3]);
    expect(early.progress).toBeLessThan(1);
  });

  it('go to the leader and to the variant with the least evidence of being worse', () => {
    const variants = [scores(100, 0.4), scores(100, 0.72), scores(100, 0.7), scores(40, 0.5)];
    expect(allocate(variants, rule)).toMatchObject({ leader: 1, shares: [0, 0.5, 0.5, 0] });
  });

  it('end with the variant that is better, or with either of two equal ones', () => {
    expect(allocate([scores(300, 0.6), scores(300, 0.8)], rule)).toMatchObject({ leader: 1, progress: 1 });
    expect(allocate([scores(6_000, 0.5), scores(6_000, 0.5)], rule).progress).toBe(1);
    expect(allocate([scores(300, 0.6), scores(300, 0.65)], rule).progress).toBeLessThan(1);
  });
});
