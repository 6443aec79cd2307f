import type { Candidate, Router } from '@patchbay/core/plugin';
import { testContext } from '@patchbay/testing';
import type { Deployments } from '../../packages/core/src/gateway/deployments.ts';
import {
  addFits,
  type FitCounts,
  fadedTo,
  fitCounts,
} from '../../packages/core/src/gateway/task-records/fit-counts.ts';
import {
  addScores,
  decayedTo,
  type ScoreCounts,
  scoreCounts,
} from '../../packages/core/src/gateway/task-records/score-counts.ts';
import type { Chance } from './chance.ts';
import type { Policy } from './policy.ts';
import type { World } from './world.ts';

/** Counters of scores that replicas share. */
export type SharedScores = Map<string, ScoreCounts>;

export interface RoutedOptions {
  readonly router: Router;
  readonly world: World;
  readonly chance: Chance;
  readonly clock: { now(): number; monotonic(): number };
  readonly deployments: Deployments;
  readonly shared?: SharedScores;
}

const FLUSH_MS = 5_000;

/** A router as the gateway uses it, with the deployments, records and circuits of the core. */
export function createRoutedPolicy(
  name: string,
  { router, world, chance, clock, deployments, shared = new Map() }: RoutedOptions,
): Policy {
  const context = testContext();
  const fits = new Map<string, FitCounts>();
  const places = new Map(world.models.map(({ id }, place) => [id, place]));
  let known: SharedScores = new Map(shared);
  let deltas: SharedScores = new Map();
  let flushedAt = clock.now();

  const keyOf = (task: number, id: string): string => `${task} ${id}`;
  const flush = (): void => {
    if (clock.now() < flushedAt + FLUSH_MS) return;
    flushedAt = clock.now();
    for (const [key, delta] of deltas) shared.set(key, addScores(shared.get(key), delta));
    deltas = new Map();
    known = new Map(shared);
  };

  return {
    name,
    async choose(call) {
      const { task, models, nowMs } = call;
      flush();
      const candidates = models.map((place): Candidate => {
        const { id, info } = world.models[place] as World['models'][number];
        const key = keyOf(task, id);
        const fit = fits.get(key);
        const delta = deltas.get(key);
        const stored = known.get(key);
        const scores = delta ? addScores(stored, delta) : stored;
        return {
          id,
          info,
          observed: deployments.of(id).observations.read(),
          ...(fit && { fit: fadedTo(fit, clock.now()) }),
          ...(scores && { scores: decayedTo(scores, nowMs) }),
        };
      });
      const inputTokens = world.inputTokens(call);
      const request = { optimize: 'balanced', inputTokens, task: `task ${task}`, mayExplore: true } as const;
      const ranking = await router.route(request, candidates, chance.next, context);
      let champion = ranking[0];
      for (const each of ranking) if ((each.propensity ?? 0) > (champion?.propensity ?? 0)) champion = each;
      return {
        order: ranking.map(({ id }) => places.get(id) as number),
        champion: places.get(champion?.id ?? '') as number,
      };
    },
    fitted({ task }, model, fit) {
      const key = keyOf(task, world.models[model]?.id ?? '');
      fits.set(key, addFits(fits.get(key), fitCounts(fit, clock.now())));
    },
    scored(task, model, score, nowMs) {
      const key = keyOf(task, world.models[model]?.id ?? '');
      deltas.set(key, addScores(deltas.get(key), scoreCounts(score, nowMs)));
    },
  };
}
