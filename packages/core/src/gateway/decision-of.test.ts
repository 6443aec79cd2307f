import { jsonTextOf } from '@patchbay/contracts/base/json-text';
import { describe, expect, it } from 'vitest';
import { createDecisionOf } from './gateway-listener.ts';

const ranked = (...propensities: readonly (number | undefined)[]) =>
  propensities.map((propensity, place) => ({
    id: `acme/${place}`,
    score: 0,
    reason: `Reason ${place}.`,
    ...(propensity !== undefined && { propensity }),
  }));

const decisionOf = createDecisionOf();

describe('the decision of a call', () => {
  it('that was left to chance has all candidates in order, and equal probabilities of neighbours once', () => {
    expect(decisionOf({ chosenBy: 'router', ranked: ranked(0.1, 0.7, 0.1, 0.1, 0) })).toEqual({
      by: 'router',
      chances: [
        [0.1, 'acme/0'],
        [0.7, 'acme/1'],
        [0.1, 'acme/2', 'acme/3'],
        [0, 'acme/4'],
      ],
      reason: 'Reason 0.',
    });
  });

  it('shares the list of candidates with the previous one, unless their order or a probability differs', () => {
    const plan = (...propensities: number[]) => ({ chosenBy: 'router', ranked: ranked(...propensities) }) as const;
    const { chances } = decisionOf(plan(0.7, 0.1, 0.1, 0.1));
    expect(decisionOf(plan(0.7, 0.1, 0.1, 0.1)).chances).toBe(chances);
    const reordered = ranked(0.7, 0.1, 0.1, 0.1).toSpliced(1, 2, ...ranked(0.7, 0.1, 0.1).slice(1).toReversed());
    for (const other of [
      plan(0.7, 0.1, 0.1),
      plan(0.7, 0.1, 0.1, 0.1, 0),
      plan(0.7, 0.1, 0.15, 0.05),
      { chosenBy: 'router', ranked: reordered } as const,
    ]) {
      const decision = decisionOf(other);
      const listed = decision.chances?.flatMap(([propensity, ...ids]) => ids.map((id) => [id, propensity]));
      expect(listed).toEqual(other.ranked.map(({ id, propensity }) => [id, propensity]));
      expect(jsonTextOf(decision)).toBe(JSON.stringify({ ...decision }));
    }
  });

  it('is the previous one if its reason is the same as well, unless it belongs to an alias or a trial', () => {
    const plan = { chosenBy: 'router', ranked: ranked(0.5, 0.5) } as const;
    const decision = decisionOf(plan);
    expect(decisionOf({ chosenBy: 'router', ranked: ranked(0.5, 0.5) })).toBe(decision);
    const alias = decisionOf(plan, { alias: 'fast', trial: {} });
    expect(alias).toEqual({ ...decision, alias: 'fast', trial: true });
    expect(jsonTextOf(alias)).toBe(JSON.stringify({ ...alias }));
    const [first, ...others] = plan.ranked;
    const other = decisionOf({
      chosenBy: 'router',
      ranked: [{ ...first, id: 'acme/0', score: 0, reason: 'A "new" one.' }, ...others],
    });
    expect(other.reason).toBe('A "new" one.');
    expect(other.chances).toBe(decision.chances);
    expect(jsonTextOf(other)).toBe(JSON.stringify({ ...other }));
  });

  it('has probabilities with nine digits', () => {
    const { chances } = decisionOf({ chosenBy: 'router', ranked: ranked(2 / 3, 1 / 3) });
    expect(chances?.map(([propensity]) => propensity)).toEqual([0.666666667, 0.333333333]);
  });

  it('that was not left to chance has no candidates', () => {
    expect(decisionOf({ chosenBy: 'router', ranked: ranked(undefined, undefined) })).toEqual({ by: 'router' });
    expect(decisionOf({ chosenBy: 'affinity', ranked: ranked(0.5, 0.5) })).toEqual({ by: 'affinity' });
    expect(decisionOf({ chosenBy: 'caller', ranked: [] }, { alias: 'fast', trial: {} })).toEqual({
      by: 'caller',
      alias: 'fast',
      trial: true,
    });
  });
});
