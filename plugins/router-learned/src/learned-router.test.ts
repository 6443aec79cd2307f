import type { Candidate, RouteRequest } from '@patchbay/core/plugin';
import { createWeightedRouter } from '@patchbay/router-weighted';
import { testContext } from '@patchbay/testing';
import { describe, expect, it } from 'vitest';
import { createLearnedRouter } from './learned-router.ts';

const context = testContext();
const options = { weights: {}, targetMs: 4_000, trialShare: 0.3, challengerShare: 0.05 };
const request: RouteRequest = { optimize: 'balanced', inputTokens: 1_000, task: 'classify', mayExplore: true };
const fit = { asked: 500, mended: 0, askedAgain: 0, failed: 0 };

function candidate(id: string, price: number, quality: number, more: Partial<Candidate> = {}): Candidate {
  const observed = { firstTokenMs: 500, msPerToken: 10, outputTokens: 100, failureRate: 0, inFlight: 0 };
  return {
    id: `acme/${id}`,
    info: { name: id, vendor: 'acme', capabilities: ['chat'], quality, pricing: { input: price, output: price * 4 } },
    observed,
    ...more,
  };
}

/** Scores of zeros and ones. */
const scored = (count: number, share: number): Required<Pick<Candidate, 'scores'>> => ({
  scores: { count, sum: count * share, squares: count * share, given: count },
});

const route = async (candidates: readonly Candidate[], chance = 0.999, more: Partial<RouteRequest> = {}) =>
  await createLearnedRouter(options).route({ ...request, ...more }, candidates, () => chance, context);

const first = async (...args: Parameters<typeof route>) => (await route(...args))[0]?.id;

const plain = (ranking: Awaited<ReturnType<typeof route>>) =>
  ranking.map(({ id, score, reason }) => ({ id, score, reason }));

describe('the learned router', () => {
  it('without scores, the ranking is that of the weighted router, whatever the responses looked like', async () => {
    const failing = { ...fit, failed: 100 };
    const candidates = [candidate('dear', 9, 0.9, { fit }), candidate('cheap', 1, 0.6, { fit: failing })];
    const weighted = createWeightedRouter(options);
    for (const optimize of ['quality', 'cost', 'balanced', 'performance'] as const) {
      for (const chance of [0, 0.04, 0.5]) {
        const expected = await weighted.route({ ...request, optimize }, candidates, () => chance, context);
        expect(plain(await route(candidates, chance, { optimize }))).toEqual(plain(expected));
      }
    }
  });

  it('a cheap model that is as good takes the place of the dear one', async () => {
    const dear = candidate('dear', 9, 0.9, scored(60, 0.9));
    expect(await first([dear, candidate('cheap', 1, 0.6)])).toBe('acme/dear');
    expect(await first([dear, candidate('cheap', 1, 0.6, scored(60, 0.9))])).toBe('acme/cheap');
  });

  it('a model with few scores is not promoted, however good they are', async () => {
    const dear = candidate('dear', 9, 0.9, scored(300, 0.85));
    expect(await first([dear, candidate('cheap', 8, 0.6, scored(4, 1))])).toBe('acme/dear');
    expect(await first([dear, candidate('cheap', 8, 0.6, scored(200, 1))])).toBe('acme/cheap');
  });

  it('responses that all match the schema do not promote a model that is scored as wrong', async () => {
    const right = candidate('right', 9, 0.8, { ...scored(30, 0.8), fit: { ...fit, failed: 20 } });
    const wrong = candidate('wrong', 0.1, 0.8, { fit });
    expect(await first([right, { ...wrong, ...scored(30, 0) }])).toBe('acme/right');
  });

  it('where a task is hard, models that were never tried are expected to find it hard as well', async () => {
    const hard = scored(60, 0.45);
    expect(await first([candidate('known', 2, 0.8, hard), candidate('untried', 2, 0.78)])).toBe('acme/known');
  });

  it('the quality of a model without scores is at most 1, however easy the task is', async () => {
    const ranking = await route([candidate('known', 2, 0.5, scored(60, 1)), candidate('untried', 2, 0.95)]);
    expect(ranking.find(({ id }) => id === 'acme/untried')?.learned).toMatchObject({ mean: 1, high: 1, scores: 0 });
  });

  it('repairs cost what they cost', async () => {
    const equally = { ...scored(100, 0.8) };
    const often = candidate('often', 1, 0.8, { ...equally, fit: { ...fit, askedAgain: 20 } });
    const once = candidate('once', 1.01, 0.8, { ...equally, fit });
    expect(await first([often, once])).toBe('acme/once');
  });

  it('scores of one deployment count for its equals', async () => {
    const equal = (provider: string, more: Partial<Candidate> = {}) => ({
      ...candidate('same', 2, 0.8, more),
      id: `${provider}/same`,
    });
    const better = candidate('better', 2, 0.7, scored(60, 0.7));
    expect(await first([better, equal('a', scored(60, 0)), equal('b')])).toBe('acme/better');
  });
});

describe('new settings', () => {
  it('new settings begin with some of the scores under the earlier ones', async () => {
    const earlier = (share: number) => ({ earlierScores: scored(400, share).scores });
    const [dear, cheap] = [candidate('dear', 9, 0.9, earlier(0.9)), candidate('cheap', 1, 0.6, earlier(0.95))];
    expect(await first([dear, cheap])).toBe('acme/cheap');
    const reason = (await route([dear, cheap]))[0]?.reason;
    expect(reason).toContain('at this task, by 20 scores');
    // Twenty scores are soon outweighed.
    expect(
      await first([
        { ...dear, ...scored(40, 0.9) },
        { ...cheap, ...scored(40, 0.4) },
      ]),
    ).toBe('acme/dear');
  });
});

describe('exploration', () => {
  const champion = candidate('champion', 2, 0.9, scored(300, 0.9));
  const untried = candidate('untried', 1, 0.6);

  it('a model on trial is put first with the share of trials, and says so', async () => {
    const [found, next] = await route([champion, untried], 0.29);
    expect([found?.id, next?.id, found?.score === next?.score]).toEqual(['acme/untried', 'acme/champion', true]);
    expect(found?.reason).toMatch(/^Tried in place of acme\/champion because it has few scores\. Quality 0\.6/);
    expect([found?.propensity, next?.propensity]).toEqual([0.3, 0.7]);
    expect(await first([champion, untried], 0.31)).toBe('acme/champion');
  });

  it('models on trial share the requests evenly', async () => {
    const ranking = await route([champion, untried, candidate('second', 1, 0.5), candidate('third', 1, 0.4)]);
    expect(ranking.map(({ propensity }) => Math.round((propensity ?? 0) * 100))).toEqual([70, 10, 10, 10]);
  });

  it('propensities are whole hundred-thousandths, and never more than the share', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const onTrial = names.map((name) => candidate(name, 1, 0.6));
    for (const others of [onTrial, onTrial.map((each) => ({ ...each, ...scored(40, 0.85) }))]) {
      const [{ propensity: most = 0 } = {}, ...rest] = await route([champion, ...others]);
      expect(most).toBeGreaterThanOrEqual(0.7);
      for (const { propensity = 0 } of rest) {
        expect(propensity).toBeGreaterThan(0);
        expect(propensity).toBe(Math.round(propensity * 100_000) / 100_000);
      }
    }
  });

  it('the first score starts less than the full share, and so do scores that are nearly forgotten', async () => {
    for (const given of [1, 100]) {
      const scores = { count: 1, sum: 1, squares: 1, given };
      const [found] = await route([candidate('champion', 2, 0.9, { scores }), untried]);
      expect(found?.propensity).toBeCloseTo(0.985, 10);
    }
  });

  it('a trial ends without a verdict where 600 responses brought too few scores', async () => {
    const tried = (everAsked: number) =>
      candidate('tried', 1, 0.6, { ...scored(6, 0.8), fit: { ...fit, asked: 10, everAsked } });
    const share = async (everAsked: number) => (await route([champion, tried(everAsked)]))[1]?.propensity;
    expect(await share(599)).toBe(0.3);
    expect(await share(600)).toBeLessThanOrEqual(0.05);
    expect(await share(600)).toBeGreaterThan(0);
  });

  it('a trial ends with 30 scores, or with fewer that are surely worse', async () => {
    const tried = async (scores: ReturnType<typeof scored>) =>
      await route([champion, candidate('tried', 1, 0.6, scores)]);
    const [first, second] = await tried(scored(30, 0.85));
    expect([first?.id, second?.id]).toEqual(['acme/champion', 'acme/tried']);
    expect(first?.propensity).toBeGreaterThanOrEqual(0.95);
    expect(second?.propensity).toBeGreaterThan(0);
    expect((await tried(scored(6, 0)))[0]?.propensity).toBeCloseTo(1, 4);
  });

  it('a model that would lose even if it were perfect gets no trial', async () => {
    const ruinous = candidate('ruinous', 2_000, 0.9);
    const ranking = await route([{ ...champion, ...scored(300, 0.97) }, ruinous]);
    expect(ranking[0]?.id).toBe('acme/champion');
    expect(ranking[0]?.propensity).toBeGreaterThanOrEqual(0.95);
  });

  it('nothing is tried if the request does not allow it, and a model that fails is never tried', async () => {
    const ranking = await route([champion, untried], 0, { mayExplore: false });
    expect([ranking[0]?.id, ranking[0]?.propensity]).toEqual(['acme/champion', 1]);
    const observed = { ...untried.observed, failureRate: 0.9 };
    expect(await first([champion, { ...untried, observed }], 0)).toBe('acme/champion');
  });

  it('propensities of one decision add up to 1, and drawing follows them', async () => {
    const candidates = [
      champion,
      untried,
      candidate('b', 3, 0.7, scored(10, 0.8)),
      candidate('c', 1, 0.5, scored(80, 0.85)),
    ];
    const counts = new Map<string, number>();
    for (let step = 0; step < 1_000; step += 1) {
      const id = (await first(candidates, (step + 0.5) / 1_000)) ?? '';
      counts.set(id, (counts.get(id) ?? 0) + 0.001);
    }
    const ranking = await route(candidates);
    expect(ranking.reduce((sum, { propensity = 0 }) => sum + propensity, 0)).toBeCloseTo(1, 12);
    for (const { id, propensity = 0 } of ranking) expect(counts.get(id) ?? 0).toBeCloseTo(propensity, 2);
  });
});
