import { didYouMean } from '@patchbay/core';
import type { Candidate, Router } from '@patchbay/core/plugin';
import learnedPlugin from '@patchbay/router-learned';
import weightedPlugin from '@patchbay/router-weighted';
import { UsageError } from '../cli-failure.ts';
import type { Chances } from './off-policy.ts';
import type { ReplayedCall } from './read-calls.ts';
import { createScoreMemory } from './score-memory.ts';

/** The chances that a policy gives models, call by call. */
export type Policy = (calls: readonly ReplayedCall[]) => Promise<readonly Chances[]> | readonly Chances[];

/** The catalogue, as far as routers read it. */
export type ModelFacts = ReadonlyMap<string, Candidate['info']>;

const utility = { weights: {}, targetMs: 4_000 };
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const instance = { deps: {}, logger: silent, mount: 'router', directory: '.' };

const routers: Readonly<Record<string, () => Router>> = {
  weighted: () => weightedPlugin.definition.create({ ...instance, config: utility }),
  learned: () =>
    learnedPlugin.definition.create({ ...instance, config: { ...utility, trialShare: 0.3, challengerShare: 0.05 } }),
};

/** Maximum number of model names in a message. */
const MOST_NAMED = 20;

/**
 * Make sure that this is the name of a policy, or of a model of the server or of the calls.
 *
 * @throws UsageError with the existing names.
 */
export function checkPolicy(name: string, models: readonly string[], calls: readonly ReplayedCall[]): void {
  const known = [...new Set([...models, ...calls.flatMap(({ chances }) => Object.keys(chances))])].sort();
  const names = [...Object.keys(routers), 'best'];
  if (names.includes(name) || known.includes(name)) return;
  const shown = known.length > MOST_NAMED ? [...known.slice(0, MOST_NAMED), '…'] : known;
  throw new UsageError(
    `there is no policy ${JSON.stringify(name)}${didYouMean(name, [...names, ...known])}; ` +
      `policies: ${names.join(', ')}; or a model: ${shown.join(', ')}`,
  );
}

/** The policy with this name: a router with its default options, `best`, or a model. */
export function policyOf(name: string, facts: ModelFacts): Policy {
  const router = routers[name];
  if (router) return async (calls) => await routed(router(), calls, facts);
  if (name === 'best') return bestSingle;
  return (calls) => calls.map(() => ({ [name]: 1 }));
}

/** A router over the scores that were known at the time of each call. */
async function routed(router: Router, calls: readonly ReplayedCall[], facts: ModelFacts): Promise<readonly Chances[]> {
  const memory = createScoreMemory(calls);
  const choices: Chances[] = [];
  for (const call of calls) {
    const candidates = Object.keys(call.chances).map((id): Candidate => {
      const info = facts.get(id) ?? { name: id, capabilities: ['chat'] };
      return { id, info, ...memory.read(call, id) };
    });
    const request = {
      optimize: 'balanced',
      inputTokens: call.promptTokens,
      task: call.task,
      mayExplore: true,
    } as const;
    // Just below 1: the order without any trial, with the probabilities of all.
    const ranked = await router.route(request, candidates, () => 1 - Number.EPSILON, undefined as never);
    choices.push(
      ranked[0]?.propensity === undefined
        ? { [ranked[0]?.id ?? '']: 1 }
        : Object.fromEntries(ranked.map(({ id, propensity = 0 }) => [id, propensity])),
    );
    memory.ended(call);
  }
  return choices;
}

/** Parts of the calls: each uses the model that was best in the others, so that luck is not mistaken for quality. */
const PARTS = 5;

function bestSingle(calls: readonly ReplayedCall[]): readonly Chances[] {
  const best = Array.from({ length: PARTS }, (_, part) =>
    bestOf(calls.filter((_call, place) => place % PARTS !== part)),
  );
  return calls.map((_, place) => ({ [best[place % PARTS] ?? '']: 1 }));
}

/** By its mean score, weighted by how rarely it was called (as in SNIPS). */
function bestOf(calls: readonly ReplayedCall[]): string {
  const sums = new Map<string, { weight: number; score: number }>();
  for (const { model, chances, score } of calls) {
    if (score === undefined) continue;
    const { weight, score: sum } = sums.get(model) ?? { weight: 0, score: 0 };
    const own = 1 / (chances[model] ?? 1);
    sums.set(model, { weight: weight + own, score: sum + own * score });
  }
  const ranked = [...sums].sort(([, one], [, other]) => other.score / other.weight - one.score / one.weight);
  return ranked[0]?.[0] ?? '';
}
