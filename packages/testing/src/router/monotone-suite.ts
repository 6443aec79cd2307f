import assert from 'node:assert/strict';
import type { Candidate, RouteRequest, Router } from '@patchbay/core/plugin';
import { testContext } from '../test-context.ts';
import { ids, type RouterSuite } from './router-under-test.ts';
import { assorted, candidate, request, type Sample, sequence } from './sample-candidates.ts';

type Optimize = RouteRequest['optimize'];

interface Trait {
  readonly name: string;
  /** Goals for which the trait must count. */
  readonly optimize: readonly Optimize[];
  /** From best to worst, all else equal. */
  readonly samples: readonly Sample[];
  /** The same model, only better in this one trait. */
  readonly better: (candidate: Candidate) => Candidate;
}

const traits: readonly Trait[] = [
  {
    name: 'quality',
    optimize: ['quality', 'balanced'],
    samples: [1, 0.8, 0.5, 0.2].map((quality) => ({ quality })),
    better: ({ info, ...rest }) => ({ ...rest, info: { ...info, quality: 1 } }),
  },
  {
    name: 'cost',
    optimize: ['cost', 'balanced'],
    samples: [0, 0.5, 4, 60].map((price) => ({ pricing: { input: price, output: price } })),
    better: ({ info, ...rest }) => ({ ...rest, info: { ...info, pricing: { input: 0.01, output: 0.01 } } }),
  },
  {
    name: 'the prompt in its cache',
    optimize: ['cost', 'balanced'],
    samples: [true, false].map((holdsPrompt) => ({ holdsPrompt, pricing: { input: 2, output: 8, cacheRead: 0.2 } })),
    better: ({ info, ...rest }) => {
      const pricing = { input: 2, output: 8, ...info.pricing, cacheRead: 0.01 };
      return { ...rest, info: { ...info, pricing }, holdsPrompt: true };
    },
  },
  {
    name: 'time to the first token',
    optimize: ['performance', 'balanced'],
    samples: [100, 400, 1_000, 9_000].map((firstTokenMs) => ({ observed: { firstTokenMs } })),
    better: (candidate) => observedAs(candidate, { firstTokenMs: 10 }),
  },
  {
    name: 'time for each token',
    optimize: ['performance', 'balanced'],
    samples: [1, 5, 20, 100].map((msPerToken) => ({ observed: { msPerToken } })),
    better: (candidate) => observedAs(candidate, { msPerToken: 0.1 }),
  },
  {
    name: 'failures',
    optimize: ['quality', 'cost', 'performance', 'balanced'],
    samples: [0, 0.1, 0.4, 1].map((failureRate) => ({ observed: { failureRate } })),
    better: (candidate) => observedAs(candidate, { failureRate: 0 }),
  },
];

/** A model that is better in what matters, all else equal, comes first. */
export function monotoneSuite({ runner, it }: RouterSuite): void {
  runner.describe('monotone', () => {
    for (const { name, optimize, samples, better } of traits) {
      for (const goal of optimize) {
        it(`in ${name}, for ${goal}: models that differ in nothing else`, async (router) => {
          const expected = samples.map((sample, index) => candidate(`model-${index}`, sample));
          for (const candidates of [expected, [...expected].reverse()]) {
            const ranking = await route(router, goal, candidates);
            assert.deepEqual(
              ranking,
              expected.map(({ id }) => id),
            );
          }
        });

        it(`in ${name}, for ${goal}: a candidate that improves never drops in rank`, async (router) => {
          for (let seed = 0; seed < 20; seed += 1) {
            const candidates = assorted(12, seed);
            const before = await route(router, goal, candidates);
            for (const [index, each] of candidates.entries()) {
              const after = await route(router, goal, candidates.with(index, better(each)));
              const places = `from ${before.indexOf(each.id)} to ${after.indexOf(each.id)}`;
              assert.ok(after.indexOf(each.id) <= before.indexOf(each.id), `${each.id} improved and went ${places}`);
            }
          }
        });
      }
    }
  });
}

async function route(router: Router, optimize: Optimize, candidates: readonly Candidate[]): Promise<readonly string[]> {
  return ids(await router.route({ ...request, optimize }, candidates, sequence(1), testContext()));
}

function observedAs(candidate: Candidate, observed: Partial<Candidate['observed']>): Candidate {
  return { ...candidate, observed: { ...candidate.observed, ...observed } };
}
