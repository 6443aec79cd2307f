import type { Candidate } from '@patchbay/core/plugin';
import type { ModelInfo } from '@patchbay/core/provider';
import { testContext } from '@patchbay/testing';
import { describe, expect, it } from 'vitest';
import { createWeightedRouter } from './weighted-router.ts';

const router = createWeightedRouter({ weights: {}, targetMs: 4_000 });
const context = testContext();

function deployment(provider: string, observed: Partial<Candidate['observed']> = {}, info: Partial<ModelInfo> = {}) {
  const pricing = { input: 1, output: 4 };
  return {
    id: `${provider}/gpt`,
    info: { name: 'gpt', vendor: 'openai', capabilities: ['chat'], quality: 0.8, pricing, ...info },
    observed: { firstTokenMs: 500, msPerToken: 10, outputTokens: 100, failureRate: 0, inFlight: 0, ...observed },
  } satisfies Candidate;
}

async function first(candidates: readonly Candidate[], ...chances: number[]) {
  const left = [...chances];
  const request = { optimize: 'balanced', inputTokens: 100 } as const;
  const ranking = await router.route(request, candidates, () => left.shift() ?? 0, context);
  return ranking[0];
}

/** How often each is first, over a grid of chances. */
async function shares(candidates: readonly Candidate[]): Promise<Readonly<Record<string, number>>> {
  const steps = 24;
  const counts: Record<string, number> = {};
  for (let one = 0; one < steps; one += 1) {
    for (let other = 0; other < steps; other += 1) {
      const id = (await first(candidates, one / steps, other / steps))?.id ?? '';
      counts[id] = (counts[id] ?? 0) + 1 / steps ** 2;
    }
  }
  return counts;
}

describe('equal deployments', () => {
  it('equal deployments share the requests evenly while they are equally loaded', async () => {
    const found = await shares(['a', 'b', 'c', 'd'].map((name) => deployment(name)));
    for (const name of ['a', 'b', 'c', 'd']) expect(found[`${name}/gpt`]).toBeCloseTo(0.25, 5);
  });

  it('the most loaded of three is never chosen, and the least loaded most often', async () => {
    const candidates = [deployment('a', { inFlight: 9 }), deployment('b', { inFlight: 5 }), deployment('c')];
    const found = await shares(candidates);
    expect(found['a/gpt']).toBeUndefined();
    expect(found['c/gpt']).toBeCloseTo(2 / 3, 5);
  });

  it('latency and failures count as load', async () => {
    const calm = deployment('calm', { inFlight: 1 });
    expect((await first([calm, deployment('slow', { firstTokenMs: 3_000, inFlight: 1 })]))?.id).toBe('calm/gpt');
    expect((await first([calm, deployment('shaky', { failureRate: 0.04, inFlight: 1 })]))?.id).toBe('calm/gpt');
    expect((await first([calm, deployment('shaky', { failureRate: 0.04 })]))?.id).toBe('shaky/gpt');
  });

  it('of those that are alike, the one that began fewer requests of late is chosen', async () => {
    const quick = { firstTokenMs: 20, msPerToken: 0 };
    const candidates = [
      deployment('a', { ...quick, recent: 3 }),
      deployment('b', { ...quick, firstTokenMs: 240, recent: 2 }),
      deployment('c', { ...quick, firstTokenMs: 490, recent: 2.5 }),
    ];
    const found = await shares(candidates);
    expect(found['a/gpt']).toBeUndefined();
    expect(found['b/gpt']).toBeCloseTo(2 / 3, 5);
    const slow = deployment('c', { ...quick, firstTokenMs: 510 });
    expect(await shares([candidates[0] as Candidate, slow])).toEqual({ 'a/gpt': expect.closeTo(1, 5) });
  });

  it('fallbacks of the one that holds the prompt are shared evenly, whatever was begun of late', async () => {
    const warm = { ...deployment('a'), holdsPrompt: true };
    const request = { optimize: 'balanced', inputTokens: 100 } as const;
    const equals = [deployment('b', { recent: 9 }), deployment('c')];
    const fallback = async (chance: number) =>
      (await router.route(request, [warm, ...equals], () => chance, context))[1]?.id;
    expect([await fallback(0), await fallback(0.9)]).toEqual(['b/gpt', 'c/gpt']);
  });

  it('one that never answered is expected to be like the others', async () => {
    const unseen = { ...deployment('unseen'), observed: { failureRate: 0, inFlight: 0 } };
    const quick = { firstTokenMs: 20, msPerToken: 0 };
    const found = await shares([deployment('seen', quick), unseen]);
    expect(found['unseen/gpt']).toBeCloseTo(0.5, 5);
    expect((await first([deployment('seen', { ...quick, inFlight: 1 }), unseen]))?.id).toBe('unseen/gpt');
  });

  it('a slow answer is forgotten within seconds', async () => {
    const well = deployment('well', { firstTokenMs: 60, msPerToken: 0, latencyAgeMs: 0 });
    const share = async (latencyAgeMs: number, inFlight = 0) => {
      const slow = deployment('slow', { firstTokenMs: 1_060, msPerToken: 0, latencyAgeMs });
      const busy = { ...well, observed: { ...well.observed, inFlight } };
      return (await shares([busy, slow]))['slow/gpt'] ?? 0;
    };
    expect(await share(0)).toBe(0);
    expect(await share(14_000)).toBe(0);
    expect(await share(15_000)).toBeCloseTo(0.5, 5);
    // Under load it is asked sooner: 60 + 1,000 / e^2 is less than four times 60.
    expect(await share(10_000, 3)).toBeCloseTo(1, 5);
    expect(await share(5_000, 3)).toBe(0);
  });

  it('the reason names the latency that is fading', async () => {
    const reasons = async (latencyAgeMs: number) => {
      const slow = deployment('slow', { firstTokenMs: 1_060, msPerToken: 0, latencyAgeMs });
      const candidates = [deployment('well', { firstTokenMs: 60, msPerToken: 0 }), slow];
      const ranking = await router.route({ optimize: 'balanced', inputTokens: 100 }, candidates, () => 0, context);
      return ranking.find(({ id }) => id === 'slow/gpt')?.reason;
    };
    expect(await reasons(0)).toContain('about 1060 ms for 100 tokens of answer, 0 % failures');
    expect(await reasons(5_000)).toContain(
      'about 428 ms for 100 tokens of answer, down from 1060 ms that were seen 5 s ago, 0 % failures',
    );
  });

  it('the reason names the draw, and all others rank behind', async () => {
    const found = await first([deployment('a', { inFlight: 2 }), deployment('b', { inFlight: 1 })]);
    expect(found?.id).toBe('b/gpt');
    expect(found?.reason).toMatch(/; drawn among 2 equal deployments, with 1 under way\.$/);
  });

  it('one that fails takes no part in the draw, however idle it is', async () => {
    const candidates = [deployment('ill', { failureRate: 0.9 }), deployment('well', { inFlight: 500 })];
    expect(await shares(candidates)).toEqual({ 'well/gpt': expect.closeTo(1, 5) });
  });

  it('equal deployments have the same vendor, name, price and quality; else the better one is first, however busy', async () => {
    const busy = deployment('busy', { inFlight: 100 });
    const others: Partial<ModelInfo>[] = [
      { vendor: 'other', quality: 0.79 },
      { name: 'gpt-old', quality: 0.79 },
      { pricing: { input: 2, output: 8 } },
      { quality: 0.79 },
    ];
    for (const info of others) {
      expect(await shares([busy, deployment('idle', {}, info)])).toEqual({ 'busy/gpt': expect.closeTo(1, 5) });
    }
  });

  it('one that holds the prompt is before its equals, however busy, which share what it does not take', async () => {
    const equals = ['b', 'c'].map((name) => deployment(name));
    const warm = { ...deployment('a', { inFlight: 50 }), holdsPrompt: true };
    expect(await shares([...equals, warm])).toEqual({ 'a/gpt': expect.closeTo(1, 5) });
    const busy = deployment('b', { inFlight: 9 });
    const request = { optimize: 'balanced', inputTokens: 100 } as const;
    const ranking = await router.route(request, [busy, deployment('c'), warm], () => 0, context);
    expect(ranking.map(({ id }) => id)).toEqual(['a/gpt', 'c/gpt', 'b/gpt']);
    expect(ranking[1]?.reason).toContain('drawn among 2 equal deployments');
  });

  it('equal deployments do not rank above a better model', async () => {
    const better = deployment('better', {}, { name: 'better', quality: 0.95 });
    const candidates = [deployment('a'), better, deployment('b', { inFlight: 1 })];
    expect(await shares(candidates)).toEqual({ 'better/gpt': expect.closeTo(1, 5) });
  });
});
