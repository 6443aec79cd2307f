import { rememberText } from '../base/json-text-of.ts';
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
  const candidates = ranked.map(({ id: model, propensity = 0 }) => ({ model, propensity: rounded(propensity) }));
  const decision = { by, ...named, candidates, reason: first.reason };
  // A storage would search all candidates for texts that are kept.
  rememberText(decision, JSON.stringify(decision));
  return decision;
}

/** Short to write, and exact enough: estimates divide by it. */
const rounded = (propensity: number): number => Math.round(propensity * 1e9) / 1e9;
