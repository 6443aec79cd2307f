import assert from 'node:assert/strict';
import type { Candidate } from '@patchbay/core/plugin';
import { testContext } from '../test-context.ts';
import { ids, optimizations, type RouterSuite } from './router-under-test.ts';
import { assorted, candidate, request, sequence, unknown } from './sample-candidates.ts';

/** A ranking has every candidate once, sorted and explained, and is the same for the same inputs. */
export function rankingSuite({ runner, it }: RouterSuite): void {
  runner.describe('ranking', () => {
    for (const optimize of optimizations) {
      it(`${optimize}: has every candidate once, sorted by a finite score, with a reason`, async (router) => {
        for (const count of [1, 2, 20, 1_000]) {
          const candidates = assorted(count, count);
          const ranking = await router.route({ ...request, optimize }, candidates, sequence(1), testContext());
          assert.deepEqual([...ids(ranking)].sort(), candidates.map(({ id }) => id).sort());
          for (const [place, { score, reason }] of ranking.entries()) {
            assert.ok(Number.isFinite(score), `the score ${score} is finite`);
            assert.ok(score <= (ranking[place - 1]?.score ?? score), 'no score is higher than the one before it');
            assert.notEqual(reason.trim(), '');
          }
        }
      });
    }

    it('of nothing is empty', async (router) => {
      assert.deepEqual(await router.route(request, [], sequence(1), testContext()), []);
    });

    it('the ranking is the same for equal inputs, whatever was asked in between', async (router) => {
      const candidates = [...assorted(30, 7), ...deployments(6)];
      const before = await router.route(request, candidates, sequence(3), testContext());
      const expected = before.map(({ id, score, reason }) => ({ id, score, reason }));
      for (const optimize of optimizations) {
        await router.route({ optimize, inputTokens: 9, maxTokens: 9 }, assorted(9, 9), sequence(9), testContext());
      }
      const again = await router.route(
        structuredClone(request),
        structuredClone(candidates),
        sequence(3),
        testContext(),
      );
      const found = again.map(({ id, score, reason }) => ({ id, score, reason }));
      assert.deepEqual(found, expected);
    });

    it('does not modify its inputs', async (router) => {
      const candidates = [...assorted(10, 5), ...deployments(3)];
      const copy = structuredClone(candidates);
      await router.route(request, candidates, sequence(3), testContext());
      assert.deepEqual(candidates, copy);
    });

    it('the ranking is complete at both ends of the random range', async (router) => {
      const candidates = deployments(5);
      for (const value of [0, 0.5, 1 - Number.EPSILON]) {
        const ranking = await router.route(request, candidates, () => value, testContext());
        assert.equal(new Set(ids(ranking)).size, 5);
      }
    });

    it('copes with models of which nothing is known, and with extreme figures', async (router) => {
      const free = { input: 0, output: 0 };
      const dear = { input: 1e6, output: 1e6 };
      const slow = { firstTokenMs: 1e9, msPerToken: 1e6, outputTokens: 1e6, failureRate: 1, inFlight: 1e6 };
      const known = [
        candidate('free', { pricing: free, quality: 0 }),
        candidate('dear', { pricing: dear, quality: 1 }),
        candidate('slow', { observed: slow }),
      ];
      const none = ['a', 'b', 'c'].map(unknown);
      for (const candidates of [none, known.slice(0, 1), known, [...known, ...none]]) {
        for (const optimize of optimizations) {
          for (const inputTokens of [0, 1, 1e6]) {
            const ranking = await router.route({ optimize, inputTokens }, candidates, sequence(1), testContext());
            assert.equal(new Set(ids(ranking)).size, candidates.length);
            assert.ok(ranking.every(({ score }) => Number.isFinite(score)));
          }
        }
      }
    });
  });
}

/** One model at several providers. */
function deployments(count: number): readonly Candidate[] {
  return Array.from({ length: count }, (_, index) => ({ ...candidate('same'), id: `provider-${index}/same` }));
}
