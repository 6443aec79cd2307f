import assert from 'node:assert/strict';
import type { Candidate, RankedModel, Router } from '@patchbay/core/plugin';
import { testContext } from '../test-context.ts';
import { ids, type RouterSuite } from './router-under-test.ts';
import { assorted, request } from './sample-candidates.ts';

const chances = [0, 0.02, 0.2, 0.6, 1 - Number.EPSILON];

/** The rules for records of a task. Routers that learn nothing obey them as well. */
export function exploringSuite({ runner, it }: RouterSuite): void {
  runner.describe('exploring', () => {
    it('chance changes the first model only if the request may explore, and then the others keep their order', async (router) => {
      const steady = await route(router, scored, false);
      for (const chance of chances) {
        assert.deepEqual(ids(await route(router, scored, false, chance)), ids(steady));
        const [tried, ...others] = ids(await route(router, scored, true, chance));
        assert.deepEqual(
          others,
          ids(steady).filter((id) => id !== tried),
        );
      }
    });

    it('propensities add up to 1, and the model that is expected to be best has the highest', async (router) => {
      const [best] = await route(router, scored, false);
      for (const chance of chances) {
        const ranking = await route(router, scored, true, chance);
        const stated = ranking.filter((each) => each.propensity !== undefined);
        if (stated.length === 0) continue;
        const sum = stated.reduce((total, { propensity = 0 }) => total + propensity, 0);
        assert.ok(Math.abs(sum - 1) < 1e-9, `propensities add up to ${sum}`);
        const likeliest = stated.reduce((one, other) =>
          (other.propensity ?? 0) > (one.propensity ?? 0) ? other : one,
        );
        assert.equal(likeliest.id, best?.id);
      }
    });

    it('a task without scores is not explored, and a single model never is', async (router) => {
      const unscored = bare.map((each): Candidate => ({ ...each, fit }));
      for (const candidates of [unscored, scored.slice(0, 1)]) {
        const steady = ids(await route(router, candidates, false));
        for (const chance of chances) assert.deepEqual(ids(await route(router, candidates, true, chance)), steady);
      }
    });

    it('a model that keeps failing is not tried', async (router) => {
      const failing = scored.map(
        (each, index): Candidate =>
          index === 0 ? each : { ...each, observed: { ...each.observed, failureRate: 0.9 } },
      );
      const [best] = await route(router, failing, false);
      for (const chance of chances) assert.equal((await route(router, failing, true, chance))[0]?.id, best?.id);
    });

    it('responses that match the schema promote no model', async (router) => {
      const before = ids(await route(router, scored, false));
      for (const [index, each] of scored.entries()) {
        const after = ids(await route(router, scored.with(index, { ...each, fit }), false));
        assert.ok(after.indexOf(each.id) >= before.indexOf(each.id), `${each.id} was promoted by its fit`);
      }
    });

    it('a model with good scores does not come after where it comes with bad ones', async (router) => {
      for (const [index, each] of scored.entries()) {
        const placeWith = async (score: number) => {
          const scores = scoresOf(60, score);
          return ids(await route(router, scored.with(index, { ...each, scores }), false)).indexOf(each.id);
        };
        assert.ok((await placeWith(1)) <= (await placeWith(0)), `good scores demoted ${each.id}`);
      }
    });
  });
}

const fit = { asked: 500, mended: 0, askedAgain: 0, failed: 0 };

const scoresOf = (count: number, mean: number) => ({ count, sum: count * mean, squares: count * mean, given: count });

const bare = assorted(8, 3);

/** The same with 0 to 42 scores each. */
const scored = bare.map((each, index): Candidate => ({ ...each, scores: scoresOf(index * 6, 0.7) }));

async function route(
  router: Router,
  candidates: readonly Candidate[],
  mayExplore: boolean,
  chance = 0.5,
): Promise<readonly RankedModel[]> {
  return await router.route({ ...request, task: 'classify', mayExplore }, candidates, () => chance, testContext());
}
