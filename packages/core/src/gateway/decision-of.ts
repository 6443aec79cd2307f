import { rememberText } from '@patchbay/contracts/base/json-text-of';
import type { RankedModel } from '@patchbay/contracts/router';
import type { ModelDecision } from '@patchbay/contracts/rows';
import type { Plan } from './plan.ts';

type Chances = NonNullable<ModelDecision['chances']>;

/** How a plan chose its first model, as it is recorded: with all candidates where it was left to chance. */
export type DecisionOf = (
  plan: Pick<Plan, 'chosenBy' | 'ranked'>,
  named?: { readonly alias?: string | undefined; readonly trial?: object | undefined },
) => ModelDecision;

/** Arrangements of candidates that are kept. */
const MOST_KEPT = 256;

export function createDecisionOf(): DecisionOf {
  /** The last ones, by the first model. Records share them while they wait to be written, which takes a fifth of a second. */
  const kept = new Map<string, Chances>();

  const chancesOf = (first: string, ranked: readonly RankedModel[]): Chances => {
    const last = kept.get(first);
    if (last && areOf(last, ranked)) return last;
    const chances = newChances(ranked);
    // A storage would search all candidates for texts that are kept, which takes longer than to write them.
    rememberText(chances, JSON.stringify(chances));
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(first, chances);
    return chances;
  };

  return ({ chosenBy: by, ranked }, { alias, trial } = {}) => {
    const named = { ...(alias !== undefined && { alias }), ...(trial && { trial: true as const }) };
    const [first] = ranked;
    if (by !== 'router' || first?.propensity === undefined) return { by, ...named };
    return { by, ...named, chances: chancesOf(first.id, ranked), reason: first.reason };
  };
}

/** Most candidates have the probability of their neighbour: written once, it takes half the room. */
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
  return chances;
}

/** Whether a ranking has these candidates in this order, with these probabilities. For every decision: without copies. */
function areOf(chances: Chances, ranked: readonly RankedModel[]): boolean {
  let rank = 0;
  for (let group = 0; group < chances.length; group += 1) {
    const shared = chances[group] as Chances[number];
    for (let place = 1; place < shared.length; place += 1) {
      const model = ranked[rank];
      if (model?.id !== shared[place] || rounded(model?.propensity) !== shared[0]) return false;
      rank += 1;
    }
  }
  return rank === ranked.length;
}

/** Short to write, and exact enough: estimates divide by it. */
const rounded = (propensity = 0): number => Math.round(propensity * 1e9) / 1e9;
