import type { ModelInfo } from '@patchbay/core/provider';

// `source` is the vendor's page on the model; what a model refuses stands in the migration guide beside it. The dates of
// the 4 generation are those of models.dev.
//
// Quality is our own reading of how Anthropic ranks its models, on one scale with the other vendors. It is no
// benchmark, only an initial value until the gateway has observations.

const noPenalties = ['frequencyPenalty', 'presencePenalty'] as const;

/** Facts of every model that speaks the Messages API, also of those of the operator. */
export const messagesModel = { vendor: 'anthropic', unsupported: noPenalties, maxTemperature: 1 } as const;

/**
 * A model that takes only the defaults of temperature and topP, as all do since Opus 4.7.
 *
 * @param published Day on which the vendor published the model.
 */
const claude = (name: string, published: string, quality: number) =>
  ({
    name: `claude-${name}`,
    source: { url: `https://platform.claude.com/docs/en/models/${name}/overview`, checkedAt: '2026-11-21' },
    capabilities: ['chat', 'code', 'reasoning', 'vision', 'tools', 'structured-output'],
    contextWindow: 1_000_000,
    maxTokens: 128_000,
    vendor: 'anthropic',
    unsupported: ['temperature', 'topP', ...noPenalties],
    createdAt: `${published}T00:00:00.000Z`,
    quality,
  }) as const;

export const catalogue: readonly ModelInfo[] = [
  // Not in the price list yet.
  { ...claude('fable-5-2', '2026-11-09', 0.96), pricing: { input: 8, output: 40 } },
  claude('fable-5-1', '2026-09-01', 0.95),
  claude('opus-5-5', '2026-09-22', 0.93),
  // The price list takes it for claude-sonnet-5, whose price is the same.
  claude('sonnet-5-5', '2026-09-28', 0.89),
  // Not in the price list yet. Five times as much above 100,000 tokens of the prompt.
  { ...claude('haiku-5-5', '2026-10-07', 0.77), pricing: { input: 0.1, output: 0.5 } },
  claude('opus-5', '2026-07-24', 0.9),
  claude('sonnet-5', '2026-06-30', 0.85),
  claude('opus-4-8', '2026-05-28', 0.87),
  claude('opus-4-7', '2026-04-16', 0.86),
  { ...claude('opus-4-6', '2026-02-05', 0.84), ...messagesModel },
  { ...claude('sonnet-4-6', '2026-02-17', 0.8), ...messagesModel, maxTokens: 64_000 },
  { ...claude('haiku-4-5', '2025-10-15', 0.7), ...messagesModel, contextWindow: 200_000, maxTokens: 64_000 },
];

/** Models that refuse to be forced to call a tool. */
export const noForcedTools: ReadonlySet<string> = new Set([
  'claude-fable-5-2',
  'claude-fable-5-1',
  'claude-opus-5-5',
  'claude-sonnet-5-5',
]);

/** Models that think before they answer without being asked to, out of the same budget of tokens. */
export const thinksByDefault: ReadonlySet<string> = new Set([
  ...noForcedTools,
  'claude-haiku-5-5',
  'claude-opus-5',
  'claude-sonnet-5',
]);
