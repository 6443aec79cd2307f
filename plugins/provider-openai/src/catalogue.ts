import type { ModelInfo } from '@patchbay/core/provider';

// `source` is the vendor's page on the model. When models end stands in developers.openai.com/api/docs/deprecations;
// dates were compared with the lists of vercel.com/ai-gateway and models.dev too.
//
// Quality is our own reading of how OpenAI ranks its models, on one scale with the other vendors. It is no benchmark,
// only an initial value until the gateway has observations.

const sightAndTools = ['chat', 'code', 'reasoning', 'vision', 'structured-output', 'tools'] as const;
const noSampling = ['temperature', 'topP', 'frequencyPenalty', 'presencePenalty'] as const;

/** @param published Day on which the vendor published the model. */
const model = (name: string, published: string, quality: number) => ({
  name,
  source: { url: `https://developers.openai.com/api/docs/models/${name}`, checkedAt: '2026-11-21' },
  vendor: 'openai',
  createdAt: `${published}T00:00:00.000Z`,
  quality,
});

/** A model that reasons. The generations since GPT-5.4 have as long a context as is stated here. */
const reasoning = (...facts: Parameters<typeof model>) =>
  ({
    ...model(...facts),
    capabilities: sightAndTools,
    contextWindow: 1_050_000,
    maxTokens: 128_000,
    unsupported: noSampling,
  }) as const;

const gpt4 = (...facts: Parameters<typeof model>) =>
  ({
    ...model(...facts),
    capabilities: ['chat', 'code', 'vision', 'tools', 'structured-output'],
    contextWindow: 1_047_576,
    maxTokens: 32_768,
  }) as const;

const embedding = (...facts: Parameters<typeof model>) =>
  ({ ...model(...facts), capabilities: ['embeddings'], contextWindow: 8_191 }) as const;

export const catalogue: readonly ModelInfo[] = [
  reasoning('gpt-6-astra', '2026-09-03', 0.95),
  // Not in the price list yet. Above 272,000 tokens of the prompt 4 and 15.
  { ...reasoning('gpt-6.1-sol', '2026-09-29', 0.92), pricing: { input: 2, output: 10 } },
  // Not in the price list yet.
  { ...reasoning('gpt-6.1-terra', '2026-10-26', 0.86), pricing: { input: 1, output: 5 } },
  reasoning('gpt-6-sol', '2026-09-22', 0.9),
  reasoning('gpt-6-luna', '2026-09-22', 0.76),
  reasoning('gpt-5.6-sol', '2026-07-09', 0.88),
  reasoning('gpt-5.6-terra', '2026-07-09', 0.82),
  reasoning('gpt-5.6-luna', '2026-07-09', 0.73),
  reasoning('gpt-5.5', '2026-04-23', 0.85),
  reasoning('gpt-5.4', '2026-03-05', 0.83),
  { ...reasoning('gpt-5.4-mini', '2026-03-17', 0.74), contextWindow: 400_000 },
  // Leave the API on 2026-12-11.
  { ...reasoning('gpt-5', '2025-08-07', 0.72), contextWindow: 400_000 },
  { ...reasoning('gpt-5-mini', '2025-08-07', 0.64), contextWindow: 400_000 },
  // Leave the API on 2027-01-14.
  { ...gpt4('gpt-4o', '2024-05-13', 0.6), contextWindow: 128_000, maxTokens: 16_384 },
  { ...gpt4('gpt-4o-mini', '2024-07-18', 0.5), contextWindow: 128_000, maxTokens: 16_384 },
  gpt4('gpt-4.1', '2025-04-14', 0.65),
  gpt4('gpt-4.1-mini', '2025-04-14', 0.55),
  { ...embedding('text-embedding-3-large', '2024-01-25', 0.7), dimensions: 3_072 },
  { ...embedding('text-embedding-3-small', '2024-01-25', 0.55), dimensions: 1_536 },
];

/**
 * Models that Chat Completions refuses together with tools, unless the request says that they shall not reason.
 * Of gpt-5.5 this is assumed: the effort `none` is taken in any case.
 */
export const toolsNeedNoReasoning: ReadonlySet<string> = new Set([
  'gpt-6.1-terra',
  'gpt-6-sol',
  'gpt-6-luna',
  'gpt-5.6-sol',
  'gpt-5.6-terra',
  'gpt-5.6-luna',
  'gpt-5.5',
]);

/**
 * Models that are asked through the Responses API: Chat Completions takes their tools only with the effort `none`, which
 * they do not have.
 */
export const needsResponses: ReadonlySet<string> = new Set(['gpt-6-astra', 'gpt-6.1-sol']);
