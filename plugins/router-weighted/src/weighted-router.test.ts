import type { Candidate, RouteRequest } from '@patchbay/core/plugin';
import type { ModelInfo } from '@patchbay/core/provider';
import { testContext } from '@patchbay/testing';
import { describe, expect, it } from 'vitest';
import { presets, type WeightChanges } from './utility.ts';
import { createWeightedRouter } from './weighted-router.ts';

const context = testContext();
const request: RouteRequest = { optimize: 'balanced', inputTokens: 1_000 };
const half = (): number => 0.5;

function candidate(
  id: string,
  info: Partial<ModelInfo> = {},
  observed: Partial<Candidate['observed']> = {},
): Candidate {
  const usual = { firstTokenMs: 1_000, msPerToken: 10, outputTokens: 100, failureRate: 0, inFlight: 0 };
  return {
    id,
    info: { name: id, capabilities: ['chat'], quality: 0.8, pricing: { input: 1, output: 10 }, ...info },
    observed: { ...usual, ...observed },
  };
}

async function rank(
  candidates: readonly Candidate[],
  options: { weights?: WeightChanges; targetMs?: number; request?: Partial<RouteRequest>; random?: () => number } = {},
) {
  const { weights = {}, targetMs = 4_000, random = half } = options;
  const router = createWeightedRouter({ weights, targetMs });
  return await router.route({ ...request, ...options.request }, candidates, random, context);
}

const ids = (ranking: readonly { readonly id: string }[]) => ranking.map(({ id }) => id);

describe('the utility', () => {
  it('the utility is the documented sum', async () => {
    const dear = candidate('dear', { pricing: { input: 3, output: 30 } });
    const one = candidate('one', {}, { failureRate: 0.1 });
    const [, found] = await rank([dear, one]);
    // Cost: a third of the dearest. Latency: (1,000 + 100 x 10) / 4,000.
    const { quality, cost, latency, failures } = presets.balanced;
    expect(found?.id).toBe('one');
    expect(found?.score).toBeCloseTo(0.9 * quality * 0.8 - cost / 3 - latency * 0.5 - failures * 0.1, 12);
  });

  it('a model that holds the prompt reads it at the price of its cache', async () => {
    const pricing = { input: 10, output: 10, cacheRead: 1 };
    const warm = { ...candidate('warm', { pricing }), holdsPrompt: true };
    const [first, second] = await rank([candidate('cold', { pricing }), warm]);
    expect([first?.id, first?.reason]).toEqual([
      'warm',
      expect.stringContaining('$0.002 with the prompt in its cache,'),
    ]);
    // A fifth of what the other costs: 1 + 1 to 10 + 1, in thousandths.
    expect((first?.score ?? 0) - (second?.score ?? 0)).toBeCloseTo(presets.balanced.cost * (1 - 2 / 11), 12);
  });

  it('the preset of the request decides', async () => {
    const candidates = [
      candidate('good', { quality: 0.9, pricing: { input: 5, output: 25 } }, { firstTokenMs: 4_000 }),
      candidate('cheap', { quality: 0.6, pricing: { input: 0.1, output: 0.4 } }, { firstTokenMs: 3_500 }),
      candidate('fast', { quality: 0.65, pricing: { input: 4, output: 20 } }, { firstTokenMs: 50, msPerToken: 1 }),
    ];
    const first = async (optimize: RouteRequest['optimize']) =>
      (await rank(candidates, { request: { optimize } }))[0]?.id;
    expect(await first('quality')).toBe('good');
    expect(await first('cost')).toBe('cheap');
    expect(await first('performance')).toBe('fast');
    expect(await first('balanced')).toBe('good');
  });

  it('weights and target come from the options', async () => {
    const candidates = [
      candidate('good', { quality: 0.9 }, { firstTokenMs: 9_000 }),
      candidate('fast', { quality: 0.6 }, { firstTokenMs: 100 }),
    ];
    expect(ids(await rank(candidates))).toEqual(['good', 'fast']);
    expect(ids(await rank(candidates, { targetMs: 500 }))).toEqual(['fast', 'good']);
    expect(ids(await rank(candidates, { weights: { balanced: { latency: 1 } } }))).toEqual(['fast', 'good']);
    expect(ids(await rank(candidates, { weights: { cost: { latency: 1 } } }))).toEqual(['good', 'fast']);
  });

  it('the length of the answer is estimated from observations, within the limit of the caller', async () => {
    const talkative = candidate('talkative', {}, { outputTokens: 900, firstTokenMs: 10 });
    const terse = candidate('terse', {}, { outputTokens: 10, firstTokenMs: 600 });
    expect(ids(await rank([talkative, terse]))).toEqual(['terse', 'talkative']);
    expect(ids(await rank([talkative, terse], { request: { maxTokens: 10 } }))).toEqual(['talkative', 'terse']);
  });

  it('a slow model is forgotten within minutes, and a quick one never', async () => {
    const waits = async (firstTokenMs: number, latencyAgeMs: number) => {
      const seen = candidate('seen', {}, { firstTokenMs, msPerToken: 20, latencyAgeMs });
      const [ranked] = await rank([seen], { weights: { balanced: { quality: 0, cost: 0, latency: 1 } } });
      return Math.round(-4_000 * (ranked?.score ?? 0));
    };
    // A large model is expected to need 500 ms and 20 ms for each of 100 tokens.
    expect(await waits(8_500, 0)).toBe(10_500);
    expect(await waits(8_500, 300_000)).toBe(2_500 + Math.round(8_000 / Math.E));
    expect(await waits(8_500, 900_000)).toBe(2_500);
    expect(await waits(100, 900_000)).toBe(2_100);
  });

  it('an unknown price counts as the highest one, and a known price of 0 as free', async () => {
    const { pricing: _, ...noPrice } = candidate('unpriced').info;
    const unpriced = { ...candidate('unpriced'), info: noPrice };
    const free = candidate('free', { pricing: { input: 0, output: 0 } });
    const ranking = await rank([
      unpriced,
      free,
      candidate('dear'),
      candidate('mid', { pricing: { input: 0, output: 5 } }),
    ]);
    expect(ids(ranking).slice(0, 2)).toEqual(['free', 'mid']);
    const scores = new Map(ranking.map(({ id, score }) => [id, score]));
    expect(scores.get('unpriced')).toBe(scores.get('dear'));
    expect(ids(await rank([unpriced, free]))).toEqual(['free', 'unpriced']);
  });

  it('small models are expected to be faster until observed', async () => {
    const unseen = (id: string, info: Partial<ModelInfo> = {}): Candidate => ({
      ...candidate(id, info),
      observed: { failureRate: 0, inFlight: 0 },
    });
    expect(ids(await rank([unseen('gemini'), unseen('gemini-flash', { pricing: { input: 1, output: 1 } })]))[0]).toBe(
      'gemini-flash',
    );
    const free = { pricing: { input: 0, output: 0 } };
    expect(ids(await rank([unseen('llama-70b', free), unseen('qwen-8b', free)]))).toEqual(['qwen-8b', 'llama-70b']);
  });

  it('embedding models are expected to have no output tokens', async () => {
    const info = { dimensions: 512, capabilities: ['embeddings'], pricing: { input: 1, output: 0 } } as const;
    const [found] = await rank([candidate('vectors', info, { firstTokenMs: 400 })]);
    expect(found?.reason).toContain('about 400 ms, 0 % failures');
  });
});

describe('the reason', () => {
  it('the reason is one sentence with the figures', async () => {
    const [found] = await rank([candidate('one', {}, { failureRate: 0.05 })]);
    expect(found?.reason).toBe(
      'For balanced: quality 0.80, about $0.002, about 2000 ms for 100 tokens of answer, 5 % failures.',
    );
  });

  it.each([
    [0, 'about $0,'],
    [0.001, 'about $0.0000001,'],
  ])('a price of %d for 1,000,000 tokens is written in plain digits', async (output, text) => {
    const [found] = await rank([candidate('one', { pricing: { input: 0, output } })]);
    expect(found?.reason).toContain(text);
  });

  it('the reason names assumptions', async () => {
    const bare = { id: 'bare', info: { name: 'bare', capabilities: [] }, observed: { failureRate: 0, inFlight: 0 } };
    const [found] = await rank([bare]);
    expect(found?.reason).toContain('quality 0.50 (assumed), price unknown and taken for the highest');
    expect(found?.reason).toContain('about 5620 ms (assumed) for 256 tokens of answer');
  });
});

describe('ties', () => {
  it('the less loaded model wins, then the lower id, whatever the order of the candidates', async () => {
    const busy = candidate('a', {}, { inFlight: 3 });
    const candidates = [busy, candidate('c'), candidate('b')];
    expect(ids(await rank(candidates))).toEqual(['b', 'c', 'a']);
    expect(ids(await rank(candidates.toReversed()))).toEqual(['b', 'c', 'a']);
  });
});
