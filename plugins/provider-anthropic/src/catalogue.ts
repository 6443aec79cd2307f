import type { ModelInfo } from '@patchbay/core/provider';

// `source` is the vendor's page on the model; what a model refuses stands in the migration guide beside it. The dates of
// the 4 generation are those of models.dev.
//
// Quality is our own reading of how Anthropic ranks its models, on one scale with the other vendors. It is no
// benchmark, only a place to begin until the gateway has seen answers.

const page = (name: string) => ({
  url: `https://platform.claude.com/docs/en/models/${name}/overview`,
  checkedAt: '2026-11-21',
});

const capabilities = ['chat', 'code', 'reasoning', 'vision', 'tools', 'structured-output'] as const;
const noPenalties = ['frequencyPenalty', 'presencePenalty'] as const;

/** What holds for every model that speaks the Messages API, also for those of the operator. */
export const messagesModel = { vendor: 'anthropic', unsupported: noPenalties, maxTemperature: 1 } as const;

/** Since Opus 4.7 only the defaults of temperature and topP are taken. */
const noSampling = { vendor: 'anthropic', unsupported: ['temperature', 'topP', ...noPenalties] } as const;
const large = { capabilities, contextWindow: 1_000_000, maxTokens: 128_000, ...noSampling } as const;

export const catalogue: readonly ModelInfo[] = [
  {
    name: 'claude-fable-5-2',
    source: page('fable-5-2'),
    ...large,
    // Not in the price list yet.
    pricing: { input: 8, output: 40 },
    createdAt: '2026-11-09T00:00:00.000Z',
    quality: 0.96,
  },
  {
    name: 'claude-fable-5-1',
    source: page('fable-5-1'),
    ...large,
    createdAt: '2026-09-01T00:00:00.000Z',
    quality: 0.95,
  },
  { name: 'claude-opus-5-5', source: page('opus-5-5'), ...large, createdAt: '2026-09-22T00:00:00.000Z', quality: 0.93 },
  // The price list takes it for claude-sonnet-5, whose price is the same.
  {
    name: 'claude-sonnet-5-5',
    source: page('sonnet-5-5'),
    ...large,
    createdAt: '2026-09-28T00:00:00.000Z',
    quality: 0.89,
  },
  {
    name: 'claude-haiku-5-5',
    source: page('haiku-5-5'),
    ...large,
    // Not in the price list yet. Five times as much above 100,000 tokens of question.
    pricing: { input: 0.1, output: 0.5 },
    createdAt: '2026-10-07T00:00:00.000Z',
    quality: 0.77,
  },
  { name: 'claude-opus-5', source: page('opus-5'), ...large, createdAt: '2026-07-24T00:00:00.000Z', quality: 0.9 },
  { name: 'claude-sonnet-5', source: page('sonnet-5'), ...large, createdAt: '2026-06-30T00:00:00.000Z', quality: 0.85 },
  { name: 'claude-opus-4-8', source: page('opus-4-8'), ...large, createdAt: '2026-05-28T00:00:00.000Z', quality: 0.87 },
  { name: 'claude-opus-4-7', source: page('opus-4-7'), ...large, createdAt: '2026-04-16T00:00:00.000Z', quality: 0.86 },
  {
    name: 'claude-opus-4-6',
    source: page('opus-4-6'),
    ...large,
    ...messagesModel,
    createdAt: '2026-02-05T00:00:00.000Z',
    quality: 0.84,
  },
  {
    name: 'claude-sonnet-4-6',
    source: page('sonnet-4-6'),
    ...large,
    ...messagesModel,
    maxTokens: 64_000,
    createdAt: '2026-02-17T00:00:00.000Z',
    quality: 0.8,
  },
  {
    name: 'claude-haiku-4-5',
    source: page('haiku-4-5'),
    ...large,
    ...messagesModel,
    contextWindow: 200_000,
    maxTokens: 64_000,
    createdAt: '2025-10-15T00:00:00.000Z',
    quality: 0.7,
  },
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
