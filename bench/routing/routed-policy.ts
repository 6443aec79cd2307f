import type { Candidate, Router } from '@patchbay/core/plugin';
import { testContext } from '@patchbay/testing';
import type { Deployments } from '../../packages/core/src/gateway/deployments.ts';
import { fadedTo, fitCounts } from '../../packages/core/src/gateway/model-performance/fit-counts.ts';
import { decayedTo, scoreCounts } from '../../packages/core/src/gateway/model-performance/score-counts.ts';
import { addCounts, type ModelCounts } from '../../packages/core/src/gateway/model-performance/task-memory.ts';
import type { Chance } from './chance.ts';
import type { Policy } from './policy.ts';
import type { World } from './world.ts';

/** Counts of models at tasks that replicas share. */
export type SharedCounts = Map<string, ModelCounts>;

export interface RoutedOptions {
  readonly router: Router;
  readonly world: World;
  readonly chance: Chance;
  readonly clock: { now(): number; monotonic(): number };
  readonly deployments: Deployments;
  /** Absent for a single replica that is never restarted. */
  readonly shared?: SharedCounts | undefined;
}

const FLUSH_MS = 5_000;
/** Counts hardly decay in this time: they are not decayed again for each call. */
const KEPT_MS = 60_000;

type TaskRecord = Pick<Candidate, 'fit' | 'scores'> & { readonly at: number };

/** A router as the gateway uses it, with the deployments, records and circuits of the core. */
export function createRoutedPolicy(
  name: string,
  { router, world, chance, clock, deployments, shared }: RoutedOptions,
): Policy {
  const context = testContext();
  const places = new Map(world.models.map(({ id }, place) => [id, place]));
  let counts: SharedCounts = new Map(shared);
  let unwritten: SharedCounts = new Map();
  const records = new Map<string, TaskRecord>();
  let flushedAt = clock.now();

  const flush = (): void => {
    if (!shared || clock.now() < flushedAt + FLUSH_MS) return;
    flushedAt = clock.now();
    for (const [key, delta] of unwritten) shared.set(key, addCounts(shared.get(key), delta));
    unwritten = new Map();
    counts = new Map(shared);
    records.clear();
  };

  const keyOf = (task: number, place: number): string => `${task} ${place}`;
  const add = (task: number, place: number, delta: Pick<ModelCounts, 'fit' | 'scores'>): void => {
    const key = keyOf(task, place);
    const all = { settingsVersion: 1, model: key, ...delta };
    counts.set(key, addCounts(counts.get(key), all));
    if (shared) unwritten.set(key, addCounts(unwritten.get(key), all));
    records.delete(key);
  };

  const recordOf = (key: string, now: number): TaskRecord => {
    const known = records.get(key);
    if (known && known.at + KEPT_MS > now) return known;
    const { fit, scores } = counts.get(key) ?? {};
    const record = {
      ...(fit && { fit: fadedTo(fit, now) }),
      ...(scores && { scores: decayedTo(scores, now) }),
      at: now,
    };
    records.set(key, record);
    return record;
  };

  return {
    name,
    async choose(call) {
      flush();
      const candidates = call.models.map((place): Candidate => {
        const { id, info } = world.models[place] as World['models'][number];
        const { fit, scores } = recordOf(keyOf(call.task, place), call.nowMs);
        const observed = deployments.of(id).observations.read();
        return { id, info, observed, ...(fit && { fit }), ...(scores && { scores }) };
      });
      const inputTokens = world.inputTokens(call);
      const request = { optimize: 'balanced', inputTokens, task: `task ${call.task}`, mayExplore: true } as const;
      const ranking = await router.route(request, candidates, chance.next, context);
      let champion = ranking[0];
      for (const each of ranking) if ((each.propensity ?? 0) > (champion?.propensity ?? 0)) champion = each;
      return {
        order: ranking.map(({ id }) => places.get(id) as number),
        champion: places.get(champion?.id ?? '') as number,
      };
    },
    fitted({ task }, model, fit) {
      add(task, model, { fit: fitCounts(fit, clock.now()), scores: null });
    },
    scored(task, model, score, nowMs) {
      add(task, model, { fit: null, scores: scoreCounts(score, nowMs) });
    },
  };
}
