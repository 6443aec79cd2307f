/** Service tiers at the list price, or below it. */
const ordinary: ReadonlySet<string> = new Set(['auto', 'default', 'flex', 'standard', 'batch']);

/** The most that OpenAI charges for a higher tier, which no price list has. openai.com/api-priority-processing, 2026-11. */
const ABOVE_ORDINARY = 2.5;

/** The multiple of the list price that a service tier costs. */
export function priceFactor(tier: string): number {
  return ordinary.has(tier) ? 1 : ABOVE_ORDINARY;
}
