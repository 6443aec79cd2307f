import { rememberText } from '../base/json-text-of.ts';
import type { RankedModel } from '../contracts/router.ts';
import type { ModelDecision } from '../contracts/rows.ts';
import type { Plan } from './plan.ts';

/** How a plan chose its first model, as it is recorded: with all candidates where it was left to chance. */
export function decisionOf(
  { chosenBy: by, ranked }: Pick<Plan, 'chosenBy' | 'ranked'>,
  { alias, trial }: { readonly alias?: string | undefined; readonly trial?: object | undefined } = {},
): ModelDecision {
  const named = { ...(alias !== undefined && { alias }), ...(trial && { trial: true as const }) };
  const [first] = ranked;
  if (by !== 'router' || first?.propensity === undefined) return { by, ...named };
  const decision = { by, ...named, chances: chancesOf(ranked), reason: first.reason };
  // A storage would search all candidates for texts that are kept, which takes longer than to write them.
  rememberText(decision, JSON.stringify(decision));
  return decision;
}

/** Most candidates have the probability of their neighbour: written once, it takes half the room. */
function chancesOf(ranked: readonly RankedModel[]): NonNullable<ModelDecision['chances']> {
  const chances: [number, ...string[]][] = [];
  let last: [number, ...string[]] | undefined;
  for (const { id, propensity = 0 } of ranked) {
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

/** Short to write, and exact enough: estimates divide by it. */
const rounded = (propensity: number): number => Math.round(propensity * 1e9) / 1e9;
