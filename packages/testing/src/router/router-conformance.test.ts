import type { Candidate, RankedModel, Router } from '@patchbay/core/plugin';
import { describe, expect, it } from 'vitest';
import { routerConformance } from './router-conformance.ts';

/** Names of the tests that a router does not pass. */
async function failuresOf(route: (...args: Parameters<Router['route']>) => readonly RankedModel[]) {
  const tests: { name: string; body: () => Promise<void> | void }[] = [];
  const runner = {
    describe: (_: string, body: () => void) => body(),
    it: (name: string, body: () => Promise<void> | void) => void tests.push({ name, body }),
  };
  routerConformance(runner, {
    capabilities: ['monotone'],
    create: () => ({ route: async (...args) => route(...args) }),
  });
  const failed: string[] = [];
  for (const { name, body } of tests) await Promise.resolve(body()).catch(() => failed.push(name));
  return { failed, count: tests.length };
}

/** As simple as a router that passes can be. */
function score({ info, observed, holdsPrompt }: Candidate): number {
  const { input = 0, output = 0, cacheRead = input } = info.pricing ?? {};
  const { firstTokenMs = 0, msPerToken = 0, failureRate } = observed;
  return (
    1_000 * ((info.quality ?? 0.5) - failureRate) -
    (holdsPrompt ? cacheRead : input) -
    output -
    firstTokenMs -
    msPerToken
  );
}

const byScore = (candidates: readonly Candidate[], scoreOf: (candidate: Candidate, index: number) => number) =>
  candidates
    .map((candidate, index) => ({ id: candidate.id, score: scoreOf(candidate, index), reason: 'Has the highest sum.' }))
    .sort((one, other) => other.score - one.score);

describe('the conformance suite of routers', () => {
  it('passes a simple router', async () => {
    expect(await failuresOf((_, candidates) => byScore(candidates, score))).toMatchObject({ failed: [] });
  });

  it('catches a router that loses candidates', async () => {
    const { failed } = await failuresOf((_, candidates) => byScore(candidates, score).slice(0, 10));
    expect(failed).toContain('balanced: has every candidate once, sorted by a finite score, with a reason');
  });

  it('catches a router that is not sorted by its scores', async () => {
    const { failed } = await failuresOf((_, candidates) => byScore(candidates, score).reverse());
    expect(failed).toContain('cost: has every candidate once, sorted by a finite score, with a reason');
  });

  it('catches a router that remembers', async () => {
    let calls = 0;
    const { failed } = await failuresOf((_, candidates) => {
      calls += 1;
      return byScore(candidates, (candidate) => score(candidate) + calls);
    });
    expect(failed).toEqual(['the ranking is the same for equal inputs, whatever was asked in between']);
  });

  it('catches a router that explores although it may not, and before there is a score', async () => {
    const { failed } = await failuresOf((_, candidates, random) => {
      const [first, ...others] = byScore(candidates, score);
      return first && random() < 0.1
        ? [...others, first].map((each) => ({ ...each, score: 0 }))
        : byScore(candidates, score);
    });
    expect(failed).toContain(
      'chance changes the first model only if the request may explore, and then the others keep their order',
    );
    expect(failed).toContain('a model that keeps failing is not tried');
  });

  it('catches a router that takes valid output for good output', async () => {
    const { failed } = await failuresOf((_, candidates) =>
      byScore(candidates, (candidate) => score(candidate) + (candidate.fit ? 1e6 : 0)),
    );
    expect(failed).toEqual(['responses that match the schema promote no model']);
  });

  it('catches a router that takes the missing for a number', async () => {
    const { failed } = await failuresOf((_, candidates) =>
      byScore(candidates, ({ info }) => (info.pricing?.input ?? Number.NaN) * -1),
    );
    expect(failed).toContain('copes with models of which nothing is known, and with extreme figures');
  });

  it('catches a router that prefers what is dear, slow, bad or failing', async () => {
    const { failed } = await failuresOf((_, candidates) => byScore(candidates, (candidate) => -score(candidate)));
    expect(failed.filter((name) => name.startsWith('in '))).toHaveLength(28);
  });

  it('catches a router that changes its inputs', async () => {
    const { failed } = await failuresOf((_, candidates) => {
      const ranking = byScore(candidates, score);
      (candidates as Candidate[]).reverse();
      return ranking;
    });
    expect(failed).toContain('does not modify its inputs');
  });

  it('catches a router without reasons, and one that fails on nothing', async () => {
    const { failed } = await failuresOf((_, candidates) => {
      if (candidates.length === 0) throw new RangeError('no candidates');
      return byScore(candidates, score).map((ranked) => ({ ...ranked, reason: ' ' }));
    });
    expect(failed).toContain('of nothing is empty');
    expect(failed).toContain('quality: has every candidate once, sorted by a finite score, with a reason');
  });
});
