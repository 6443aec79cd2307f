import type { Candidate, TaskFit } from '@patchbay/core/plugin';
import { testContext } from '@patchbay/testing';
import { describe, expect, it } from 'vitest';
import { taskFactor, usualOutput } from './estimate.ts';
import { createWeightedRouter } from './weighted-router.ts';

const fit = (asked: number, more: Partial<TaskFit> = {}): TaskFit => ({
  asked,
  mended: 0,
  askedAgain: 0,
  failed: 0,
  ...more,
});

describe('the loss of quality at a task', () => {
  it('the loss is nothing where the task was never done, or went well', () => {
    expect([undefined, fit(1), fit(1_000), fit(50, { mended: 50 })].map(taskFactor)).toEqual([1, 1, 1, 1]);
  });

  it('the loss is small after one failure, grows with each, and is half where asking again helped', () => {
    expect(taskFactor(fit(1, { failed: 1 }))).toBeCloseTo(20 / 21, 10);
    expect(taskFactor(fit(10, { failed: 10 }))).toBeCloseTo(20 / 30, 10);
    expect(taskFactor(fit(10, { askedAgain: 10 }))).toBeCloseTo(24 / 30 / 0.95, 10);
    expect(taskFactor(fit(1_000, { failed: 1_000 }))).toBeCloseTo(20 / 1_020, 10);
  });

  it('the loss decides between models of similar quality, once there is some evidence', async () => {
    const router = createWeightedRouter({ weights: {}, targetMs: 4_000 });
    const candidate = (name: string, quality: number, failed: number): Candidate => ({
      id: `a/${name}`,
      info: { name, capabilities: ['chat'], quality, pricing: { input: 1, output: 1 } },
      observed: { firstTokenMs: 500, msPerToken: 10, outputTokens: 100, failureRate: 0, inFlight: 0 },
      ...(failed > 0 && { fit: fit(failed, { failed }) }),
    });
    const rank = async (failed: number) => {
      const candidates = [candidate('good', 0.8, failed), candidate('steady', 0.75, 0)];
      const request = { optimize: 'balanced', inputTokens: 100, task: 'rate' } as const;
      return await router.route(request, candidates, () => 0, testContext());
    };
    expect((await rank(1))[0]?.id).toBe('a/good');
    const [first, second] = await rank(3);
    expect(first?.id).toBe('a/steady');
    expect(first?.reason).toContain('quality 0.75, about');
    expect(second?.reason).toContain(
      'quality 0.70 (100 % of its answers to this task did not fit, 0 % at first), about',
    );
  });
});

describe('the usual length of answers', () => {
  const observing = (outputTokens?: number): Candidate => ({
    id: 'acme/model',
    info: { name: 'model', capabilities: ['chat'] },
    observed: { failureRate: 0, inFlight: 0, ...(outputTokens !== undefined && { outputTokens }) },
  });

  it.each([
    ['256 tokens without observations', [undefined], 256],
    ['twice the mean where answers are short', [4, 8, undefined], 12],
    ['256 tokens where answers are long', [900], 256],
  ])('is %s', (_, observed, expected) => {
    expect(usualOutput(observed.map(observing))).toBe(expected);
  });
});
