import type { Router } from '@patchbay/core/plugin';
import learnedPlugin from '@patchbay/router-learned';
import weightedPlugin from '@patchbay/router-weighted';
import { testContext } from '@patchbay/testing';
import { createChance } from './chance.ts';
import { baselines, type Policy } from './policy.ts';
import { createRoutedPolicy, type SharedScores } from './routed-policy.ts';
import { runOf, type Scenario } from './scenarios.ts';
import { createSimulatedClock, deploymentsOf, type Measures, simulate } from './simulate.ts';
import { createWorld, type World } from './world.ts';

const { logger } = testContext();
const host = { deps: {}, logger, mount: 'router', directory: '.' };
const shares = { weights: {}, targetMs: 4_000 };

const routers: Readonly<Record<string, Router>> = {
  weighted: weightedPlugin.definition.create({ ...host, config: shares }),
  learned: learnedPlugin.definition.create({
    ...host,
    config: { ...shares, trialShare: 0.3, challengerShare: 0.05 },
  }),
};

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

export interface Size {
  readonly models: number;
  readonly functions: number;
  /** Of the calls of a scenario, 0 to 1. */
  readonly calls: number;
}

/** One policy in one scenario with one seed: the same world and callers for every policy. */
export async function measure(name: PolicyName, scenario: Scenario, seed: number, size: Size): Promise<Measures> {
  const world = createWorld(seed, { ...size, events: scenario.events });
  const clock = createSimulatedClock();
  const chance = createChance(seed + 104_729);
  const shared: SharedScores = new Map();
  const start = () => {
    const deployments = deploymentsOf(world, clock);
    const router = routers[name];
    const policy: Policy = router
      ? createRoutedPolicy(name, { router, world, chance, clock, deployments, shared })
      : baseline(name, world, chance);
    return { policy, deployments };
  };
  const { replicas = 1, restartEvery = Number.POSITIVE_INFINITY } = scenario;
  const started = Array.from({ length: replicas }, start);
  return await simulate(world, runOf(scenario, seed, size.calls), clock, (index) => {
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

/** The mean with its 95 % interval, by the normal distribution. */
export function interval(values: readonly number[]): Interval {
  const known = values.filter((value) => !Number.isNaN(value));
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  const squares = known.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  // Student's t for 20 seeds.
  const half = 2.09 * Math.sqrt(squares / Math.max(1, known.length - 1) / known.length);
  return { mean, low: mean - half, high: mean + half };
}
