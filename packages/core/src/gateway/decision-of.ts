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
  return { by, ...named, candidates, reason: first.reason };
}

/** Short to write, and exact enough: estimates divide by it. */
const rounded = (propensity: number): number => Math.round(propensity * 1e9) / 1e9;
