import type { Router } from '@patchbay/core/plugin';
import learnedPlugin from '@patchbay/router-learned';
import weightedPlugin from '@patchbay/router-weighted';
import { testContext } from '@patchbay/testing';
import { createChance, shuffled } from './chance.ts';
import type { ResponseMatrix } from './matrices/response-matrix.ts';
import { baselines, type Policy } from './policy.ts';
import { createRecordedWorld } from './recorded-world.ts';
import { createRoutedPolicy, type SharedCounts } from './routed-policy.ts';
import { runOf, type Scenario } from './scenarios.ts';
import { createSimulatedClock, deploymentsOf, type Measures, simulate } from './simulate.ts';
import { createSimulatedWorld, type Event, type WorldSize } from './simulated-world.ts';
import type { World } from './world.ts';

const { logger } = testContext();
const targetMs = 4_000;

function routerOf(name: PolicyName, costWeight: number): Router | undefined {
  const host = { deps: {}, logger, mount: 'router', directory: '.' };
  const shared = { weights: { balanced: { cost: costWeight } }, targetMs };
  if (name === 'weighted') return weightedPlugin.definition.create({ ...host, config: shared });
  if (name !== 'learned') return undefined;
  return learnedPlugin.definition.create({ ...host, config: { ...shared, trialShare: 0.3, challengerShare: 0.05 } });
}

export const policyNames = [
  'random',
  'cheapest',
  'best single',
  'epsilon-greedy',
  'UCB1',
  'Thompson',
  'weighted',
  'learned',
  'oracle',
] as const;

export type PolicyName = (typeof policyNames)[number];

/** The scenario on which policies are compared. */
export interface Setting {
  readonly worldOf: (seed: number, events: readonly Event[]) => World;
  /** As in the preset `balanced`. */
  readonly costWeight: number;
  /** Share of the calls of a scenario, 0 to 1. */
  readonly calls: number;
}

/** The cost weight of the preset `balanced`. */
export const usualCostWeight = 0.1;

export function simulated(size: WorldSize, calls: number, costWeight = usualCostWeight): Setting {
  return { calls, costWeight, worldOf: (seed, events) => createSimulatedWorld(seed, size, events, costWeight) };
}

/** @param functions Number of datasets that each seed takes. */
export function recorded(
  matrix: ResponseMatrix,
  calls: number,
  costWeight = usualCostWeight,
  functions = matrix.tasks.length,
): Setting {
  const tasksOf = (seed: number) => shuffled(matrix.tasks, createChance(seed + 15_485_863)).slice(0, functions);
  const worldOf = (seed: number) => createRecordedWorld({ ...matrix, tasks: tasksOf(seed) }, seed, costWeight);
  return { calls, costWeight, worldOf };
}

/** One policy in one scenario with one seed: the same world and callers for every policy. */
export async function measure(
  name: PolicyName,
  scenario: Scenario,
  seed: number,
  { worldOf, costWeight, calls }: Setting,
): Promise<Measures> {
  const world = worldOf(seed, scenario.events);
  const clock = createSimulatedClock();
  const chance = createChance(seed + 104_729);
  const router = routerOf(name, costWeight);
  const { replicas = 1, restartEvery = Number.POSITIVE_INFINITY } = scenario;
  const shared: SharedCounts | undefined = replicas > 1 || Number.isFinite(restartEvery) ? new Map() : undefined;
  const start = () => {
    const deployments = deploymentsOf(world, clock);
    const policy: Policy = router
      ? createRoutedPolicy(name, { router, world, chance, clock, deployments, shared })
      : baseline(name, world, chance);
    return { policy, deployments };
  };
  const started = Array.from({ length: replicas }, start);
  return await simulate(world, runOf(scenario, seed, calls), clock, (index) => {
    const replica = Math.floor(index / world.functions) % replicas;
    if (index % restartEvery === restartEvery - 1) started[Math.floor(index / restartEvery) % replicas] = start();
    return started[replica] as (typeof started)[number];
  });
}

function baseline(name: PolicyName, world: World, chance: ReturnType<typeof createChance>): Policy {
  const found = baselines(world, chance).find((policy) => policy.name === name);
  if (!found) throw new Error(`no baseline ${name}`);
  return found;
}

export interface Interval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** The mean with its 95 % interval, by Student's t. */
export function interval(values: readonly number[]): Interval {
  const known = values.filter(Number.isFinite);
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  const squares = known.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const freedom = Math.max(1, known.length - 1);
  const half = studentOf(freedom) * Math.sqrt(squares / freedom / known.length);
  return { mean, low: mean - half, high: mean + half };
}

/** The 97.5 % quantile, by the first terms of its expansion at the normal one: to 0.01 from five values on. */
const studentOf = (freedom: number): number => 1.96 + 2.37 / freedom + 2.82 / freedom ** 2 + 2.5 / freedom ** 3;
