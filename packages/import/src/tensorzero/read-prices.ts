import type { OwnModel } from '../provider-mounts.ts';
import type { Report } from '../report.ts';
import type { Source } from '../source/source.ts';

type Pricing = NonNullable<OwnModel['pricing']>;

const parts: Readonly<Record<string, keyof Pricing>> = {
  '/usage/prompt_tokens': 'input',
  '/usage/input_tokens': 'input',
  '/usage/total_tokens': 'input',
  '/usageMetadata/promptTokenCount': 'input',
  '/usage/completion_tokens': 'output',
  '/usage/output_tokens': 'output',
  '/usageMetadata/candidatesTokenCount': 'output',
  '/usage/prompt_tokens_details/cached_tokens': 'cacheRead',
  '/usage/cache_read_input_tokens': 'cacheRead',
  '/usage/cache_creation_input_tokens': 'cacheWrite',
};

const MILLION = 1_000_000;

/** Prices per token from `cost`; prices for anything else are reported. */
export function readPrices(cost: Source | undefined, report: Report): Pick<OwnModel, 'pricing'> {
  const prices: Partial<Record<keyof Pricing, number>> = {};
  for (const entry of cost?.items() ?? []) {
    const pointer = entry.text('pointer') ?? entry.text('pointer_nonstreaming') ?? '';
    const part = parts[pointer];
    const perUnit = entry.number('cost_per_unit');
    const rate = entry.number('cost_per_million') ?? (perUnit === undefined ? undefined : perUnit * MILLION);
    if (part === undefined || rate === undefined) {
      report.notMapped(entry, `prices are those of tokens, not of ${pointer}`);
      continue;
    }
    entry.take();
    // If cached tokens are included in those of the prompt, their rate is the discount.
    prices[part] = rate < 0 ? (prices.input ?? 0) + rate : rate;
  }
  const { input, output, ...cached } = prices;
  return input === undefined && output === undefined
    ? {}
    : { pricing: { input: input ?? 0, output: output ?? 0, ...cached } };
}
