/** Verdicts of Failover Bench: its own words for what a caller experienced. */
type Verdict = 'pass' | 'partial' | 'safe' | 'fail';

/** A system, with the verdicts of the sixteen faults in their order. */
export interface PublishedResult {
  readonly system: string;
  readonly verdicts: readonly Verdict[];
}

const words = (verdicts: string): readonly Verdict[] =>
  verdicts.split(' ').map((each) => (({ '+': 'pass', '~': 'partial', o: 'safe', x: 'fail' }) as const)[each] ?? 'fail');

/**
 * The scorecard of 12 September 2026, profile `full`:
 * https://github.com/failoverbench/failoverbench/blob/29485632e20fa9dac4fbfead53c7c3c172a133d0/results/full/SCORECARD.md
 */
export const publishedResults: readonly PublishedResult[] = [
  { system: 'LiteLLM proxy', verdicts: words('+ + + + + ~ ~ o o o + + ~ o + +') },
  { system: 'Bifrost 2.1.1', verdicts: words('~ + + + + x ~ o o + + + ~ o + +') },
  { system: 'Portkey Gateway', verdicts: words('+ + + + + + ~ x x + + + ~ x + +') },
  { system: 'LangChain `with_fallbacks`', verdicts: words('+ + + + + ~ ~ o o o + + ~ o + +') },
  { system: 'DeepSeek Harness, `dsh-llm-fallbacks`', verdicts: words('~ + ~ + + + ~ + + o + + + + + +') },
];
