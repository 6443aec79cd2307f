import { createDeployments, type Deployments } from '../../packages/core/src/gateway/deployments.ts';
import { createChance } from './chance.ts';
import type { Call, Policy } from './policy.ts';
import type { Response, World } from './world.ts';

/** How callers report. */
export interface Feedback {
  /** Share of good responses that get a score, and of bad ones; of others, in between. */
  readonly happy: number;
  readonly unhappy: number;
  /** Calls of all functions until a score arrives. */
  readonly delay: number;
}

export interface Run {
  readonly seed: number;
  readonly callsPerFunction: number;
  readonly feedback: Feedback;
  /** Share of the run that is measured. */
  readonly measured: { readonly from: number; readonly to: number };
  /** Time between two calls, by the simulated clock. */
  readonly msBetweenCalls: number;
}

/** Means over the measured calls. */
export interface Measures {
  readonly quality: number;
  readonly usdPer1000: number;
  /** Utility of the best model for each function, less that of the model that responded. */
  readonly regret: number;
  /** Share of calls of models that are worse than the champion by more than 0.05. */
  readonly belowChampion: number;
  /** Share of calls in which the model that is always wrong was the champion. */
  readonly wrongChampion: number;
  /** Share of calls whose first attempt failed. */
  readonly failedFirst: number;
  /** Calls of a model after its outage began until none is sent there for 30 s, and seconds after it until one succeeds. */
  readonly callsIntoOutage: number;
  readonly secondsToReturn: number;
  /** Regret in each of this many equal parts of the whole run. */
  readonly regrets: readonly number[];
}

const PARTS = 40;

export interface SimulatedClock {
  now(): number;
  monotonic(): number;
  add(ms: number): void;
}

export function createSimulatedClock(): SimulatedClock {
  let now = 1e9;
  return {
    now: () => now,
    monotonic: () => now,
    add(ms) {
      now += ms;
    },
  };
}

export const deploymentsOf = (world: World, clock: SimulatedClock): Deployments =>
  createDeployments(
    world.models.map(({ id }) => id),
    clock,
  );

const EPSILON = 0.05;

type Served = { readonly failedFirst: boolean; readonly triedOut: boolean } & (
  | { readonly model: number; readonly response: Response }
  | { readonly model?: undefined; readonly response?: undefined }
);

/** Serve the calls of all functions in turn. @param policyFor The replica that serves a call. */
export async function simulate(
  world: World,
  run: Run,
  clock: SimulatedClock,
  policyFor: (index: number) => { readonly policy: Policy; readonly deployments: Deployments },
): Promise<Measures> {
  const chance = createChance(run.seed + 7_919);
  const total = run.callsPerFunction * world.functions;
  const everyModel = world.models.map((_, place) => place);
  const arrivals = Math.max(...world.models.map(({ arrivesAt }) => arrivesAt));
  const early = everyModel.filter((place) => world.models[place]?.arrivesAt === 0);
  const scores: { due: number; task: number; model: number; score: number }[] = [];
  let nextScore = 0;
  const sums = { calls: 0, quality: 0, usd: 0, regret: 0, below: 0, wrong: 0, failedFirst: 0 };
  const regrets = Array.from({ length: PARTS }, () => 0);
  let intoOutage = 0;
  let outageEnded: number | undefined;
  let returnedAfter: number | undefined;

  for (let index = 0; index < total; index += 1) {
    clock.add(run.msBetweenCalls);
    const progress = index / total;
    const task = index % world.functions;
    const { policy, deployments } = policyFor(index);
    while ((scores[nextScore]?.due ?? Number.POSITIVE_INFINITY) <= index) {
      const { task: of, model, score } = scores[nextScore] as (typeof scores)[number];
      policy.scored?.(of, model, score, clock.now());
      nextScore += 1;
    }
    const models = arrivals > 0 && progress < arrivals ? early : everyModel;
    const turn = Math.floor(index / world.functions);
    const call: Call = { task, turn, progress, nowMs: clock.now(), models };
    const { order, champion } = await policy.choose(call);
    const served = serve(order, call, deployments);
    const anyOut = world.models.some((_, place) => world.isOut(place, progress));
    if (served.triedOut) intoOutage += 1;
    if (anyOut) outageEnded = clock.now();
    else if (outageEnded !== undefined && returnedAfter === undefined && served.model === world.struck)
      returnedAfter = (clock.now() - outageEnded) / 1_000;
    const regret = regretOf(call, served.model);
    regrets[Math.floor(progress * PARTS)] = (regrets[Math.floor(progress * PARTS)] ?? 0) + (regret * PARTS) / total;
    if (progress >= run.measured.from && progress < run.measured.to) {
      sums.regret += regret;
      measure(call, champion, served);
    }
    if (served.response) note(index, call, served.model, served.response, policy);
  }

  function serve(order: readonly number[], call: Call, deployments: Deployments): Served {
    let failedFirst = false;
    let triedOut = false;
    for (const model of order) {
      const { breaker, observations } = deployments.of((world.models[model] as World['models'][number]).id);
      const admitted = breaker.admit();
      if (!admitted) continue;
      observations.started();
      if (world.isOut(model, call.progress)) {
        observations.ended({ failed: true });
        admitted.failed();
        failedFirst = true;
        triedOut = true;
        continue;
      }
      const response = world.respond(call, model, chance);
      const { totalMs, firstTokenMs, outputTokens } = response;
      observations.ended({ failed: false, totalMs, firstTokenMs, outputTokens });
      admitted.succeeded();
      return { model, response, failedFirst, triedOut };
    }
    return { failedFirst, triedOut };
  }

  /** Pass on the fit of the response, which the gateway sees, and the score of the caller. */
  function note(index: number, call: Call, model: number, { fit, score }: Response, policy: Policy): void {
    policy.fitted?.(call, model, fit);
    if (fit === 'failed') return;
    const { happy, unhappy, delay } = run.feedback;
    if (chance.next() < unhappy + score * (happy - unhappy))
      scores.push({ due: index + 1 + delay, task: call.task, model, score });
  }

  function regretOf({ task, models, progress }: Call, responded: number | undefined): number {
    let best = Number.NEGATIVE_INFINITY;
    for (const place of models) {
      if (!world.isOut(place, progress)) best = Math.max(best, world.expected(task, place, progress).utility);
    }
    return responded === undefined ? best : best - world.expected(task, responded, progress).utility;
  }

  function measure(call: Call, champion: number, { model, failedFirst }: Served): void {
    sums.calls += 1;
    sums.failedFirst += Number(failedFirst);
    sums.wrong += Number(world.models[champion]?.pretends);
    if (model === undefined) return;
    const { quality, costUsd, utility } = world.expected(call.task, model, call.progress);
    sums.quality += quality;
    sums.usd += costUsd;
    sums.below += Number(utility < world.expected(call.task, champion, call.progress).utility - EPSILON);
  }

  const { calls } = sums;
  return {
    quality: sums.quality / calls,
    usdPer1000: (1_000 * sums.usd) / calls,
    regret: sums.regret / calls,
    belowChampion: sums.below / calls,
    wrongChampion: sums.wrong / calls,
    failedFirst: sums.failedFirst / calls,
    callsIntoOutage: intoOutage,
    secondsToReturn: returnedAfter ?? Number.NaN,
    regrets,
  };
}
