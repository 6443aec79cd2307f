import type { Candidate } from '@patchbay/core/plugin';
import { describe, expect, it } from 'vitest';
import { createQualitiesOf, Qualities } from './qualities.ts';

const scores = (count: number) => ({ count, sum: count, squares: count, given: count });
const fit = { asked: 5, mended: 0, askedAgain: 0, failed: 0 };

const candidate = (name: string, more: Partial<Candidate> = {}): Candidate => ({
  id: `acme/${name}`,
  info: { name, vendor: 'acme', capabilities: ['chat'], quality: 0.7 },
  observed: { failureRate: 0, inFlight: 0 },
  ...more,
});

describe('the qualities of candidates', () => {
  const one = candidate('one', { scores: scores(20) });
  const two = candidate('two');

  it('without scores, there are none', () => {
    const qualitiesOf = createQualitiesOf();
    expect(qualitiesOf([two])).toBeUndefined();
    expect(qualitiesOf([{ ...two, scores: scores(0) }])).toBeUndefined();
  });

  it('are kept while only observations and responses are added', () => {
    const qualitiesOf = createQualitiesOf();
    const qualities = qualitiesOf([one, two]);
    const observed = { failureRate: 0.5, inFlight: 3 };
    expect(
      qualitiesOf([
        { ...one, fit },
        { ...two, observed },
      ]),
    ).toBe(qualities);
  });

  it('follow how completions fit, while they are kept', () => {
    const qualitiesOf = createQualitiesOf();
    const qualities = qualitiesOf([one, two]);
    expect(qualities?.fits.task(1)).toBe(1);
    expect(qualities?.fits.repair(1)).toBe(1);
    qualitiesOf([one, { ...two, fit: { asked: 20, mended: 0, askedAgain: 0, failed: 20 } }]);
    expect(qualities?.fits.task(1)).toBe(0.5);
    expect(qualities?.fits.repair(1)).toBe(1.5);
    qualitiesOf([one, two]);
    expect(qualities?.fits.task(1)).toBe(1);
  });

  it.each([
    ['other scores', [{ ...one, scores: scores(21) }, two]],
    ['scores of another candidate', [one, { ...two, scores: scores(1) }]],
    ['scores under earlier settings', [one, { ...two, earlierScores: scores(1) }]],
    ['other facts about a model', [{ ...one, info: { ...one.info, quality: 0.5 } }, two]],
    ['fewer candidates', [one]],
    ['another order', [two, one]],
  ])('are computed again for %s', (_, candidates) => {
    const qualitiesOf = createQualitiesOf();
    const before = qualitiesOf([one, two]);
    const after = qualitiesOf(candidates);
    expect(after).not.toBe(before);
    expect(after).toEqual(new Qualities(candidates));
    expect(after?.learned(0)).toEqual(new Qualities(candidates).learned(0));
  });
});
