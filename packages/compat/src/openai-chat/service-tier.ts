/** Classes of service of the list price, or below it. */
const ordinary: ReadonlySet<string> = new Set(['auto', 'default', 'flex', 'standard', 'batch']);

/** The most that OpenAI charges for a class above, which no price list has. openai.com/api-priority-processing, 2026-11. */
const ABOVE_ORDINARY = 2.5;

/** Times the list price that a class of service costs. */
export function priceFactor(tier: string): number {
  return ordinary.has(tier) ? 1 : ABOVE_ORDINARY;
}
