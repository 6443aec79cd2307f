import { jsonTextOf, rememberText } from '@patchbay/contracts/base/json-text-of';
import type { RankedModel } from '@patchbay/contracts/router';
import type { ModelDecision } from '@patchbay/contracts/rows';
import type { Plan } from './plan.ts';

type Chances = NonNullable<ModelDecision['chances']>;

/** How a plan chose its first model, as it is recorded: with all candidates if it was left to chance. */
export type DecisionOf = (
  plan: Pick<Plan, 'chosenBy' | 'ranked'>,
  named?: { readonly alias?: string | undefined; readonly trial?: object | undefined },
) => ModelDecision;

/** The decisions that are kept. */
const MOST_KEPT = 256;

export function createDecisionOf(): DecisionOf {
  /** The last ones, by the first model. Records share them while they wait to be written, which takes a fifth of a second. */
  const kept = new Map<string, ModelDecision>();

  const byChance = (first: RankedModel, ranked: readonly RankedModel[]): ModelDecision => {
    const { id, reason } = first;
    const last = kept.get(id);
    const same = last?.chances && areOf(last.chances, ranked) ? last.chances : undefined;
    if (last && same && last.reason === reason) return last;
    const decision = { by: 'router', chances: same ?? newChances(ranked), reason } as const;
    // Otherwise a storage would search all candidates for cached texts, which takes longer than writing them.
    rememberText(
      decision,
      `{"by":"router","chances":${jsonTextOf(decision.chances)},"reason":${JSON.stringify(reason)}}`,
    );
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(id, decision);
    return decision;
  };

  return ({ chosenBy: by, ranked }, { alias, trial } = {}) => {
    const [first] = ranked;
    const decision = by === 'router' && first?.propensity !== undefined ? byChance(first, ranked) : { by };
    if (alias === undefined && !trial) return decision;
    return { ...decision, ...(alias !== undefined && { alias }), ...(trial && { trial: true as const }) };
  };
}

/** Most candidates have the same probability as their neighbour: written once, it takes half the space. */
function newChances(ranked: readonly RankedModel[]): Chances {
  const chances: [number, ...string[]][] = [];
  let last: [number, ...string[]] | undefined;
  for (const { id, propensity } of ranked) {
    const shared = rounded(propensity);
    if (last?.[0] === shared) {
      last.push(id);
      continue;
    }
    last = [shared, id];
    chances.push(last);
  }
  rememberText(chances, JSON.stringify(chances));
  return chances;
}

/**
 * Whether a ranking has these candidates in this order, with these probabilities. Runs for every decision, so it makes
 * no copies.
 */
function areOf(chances: Chances, ranked: readonly RankedModel[]): boolean {
  let rank = 0;
  for (let group = 0; group < chances.length; group += 1) {
    const shared = chances[group] as Chances[number];
    for (let place = 1; place < shared.length; place += 1) {
      const model = ranked[rank];
      if (model === undefined || model.id !== shared[place]) return false;
      const { propensity } = model;
      if (propensity !== shared[0] && rounded(propensity) !== shared[0]) return false;
      rank += 1;
    }
  }
  return rank === ranked.length;
}

/** Short to write, and exact enough: estimates divide by it. */
const rounded = (propensity = 0): number => Math.round(propensity * 1e9) / 1e9;
