import type { ModelInfo } from '@patchbay/core/provider';

// `source` is the vendor's page on the model. When models end stands in ai.google.dev/gemini-api/docs/deprecations, and
// which of them ignore sampling in …/generate-content/whats-new-gemini-3.6.
//
// Quality is our own reading of how Google ranks its models, on one scale with the other vendors. It is no benchmark,
// only an initial value until the gateway has observations.

const noPenalties = ['frequencyPenalty', 'presencePenalty'] as const;

/** Facts of every Gemini model, also of those of the operator. */
export const geminiModel = { vendor: 'google', unsupported: noPenalties } as const;

/** @param published Day on which the vendor published the model. */
const model = (name: string, published: string, quality: number, page = `models/${name}`) => ({
  name,
  source: { url: `https://ai.google.dev/gemini-api/docs/${page}`, checkedAt: '2026-11-21' },
  vendor: 'google',
  createdAt: `${published}T00:00:00.000Z`,
  quality,
});

const gemini = (...facts: Parameters<typeof model>) =>
  ({
    ...model(...facts),
    capabilities: ['chat', 'code', 'reasoning', 'vision', 'tools', 'structured-output'],
    contextWindow: 1_048_576,
    maxTokens: 65_536,
    unsupported: noPenalties,
  }) as const;

/** Since 3.5 Flash-Lite and 3.6 Flash, temperature and topP are taken and ignored. */
const withoutSampling = (...facts: Parameters<typeof model>) =>
  ({ ...gemini(...facts), unsupported: ['temperature', 'topP', ...noPenalties] }) as const;

const embedding = (...facts: Parameters<typeof model>) =>
  ({ ...model(...facts), capabilities: ['embeddings'], dimensions: 3_072 }) as const;

export const catalogue: readonly ModelInfo[] = [
  {
    ...withoutSampling('gemini-4-argon', '2026-10-13', 0.93, 'generate-content/latest-model'),
    // The limit of a response that is not streamed; streamed it is twice as much.
    maxTokens: 32_768,
    // Not in the price list yet. Half of it until 2026-11-30.
    pricing: { input: 4, output: 20 },
  },
  withoutSampling('gemini-3.8-flash', '2026-09-02', 0.86),
  // Deprecated: requests for it are answered by gemini-3.8-flash, at the same price.
  withoutSampling('gemini-3.7-flash', '2026-08-13', 0.83),
  withoutSampling('gemini-3.6-flash', '2026-07-21', 0.8),
  withoutSampling('gemini-3.5-flash-lite', '2026-07-21', 0.7),
  gemini('gemini-3.1-flash-lite', '2026-05-07', 0.66),
  gemini('gemini-3-flash-preview', '2025-12-17', 0.74),
  // Leave the API on 2026-12-01.
  gemini('gemini-2.5-pro', '2025-06-17', 0.75),
  gemini('gemini-2.5-flash', '2025-06-17', 0.66),
  gemini('gemini-2.5-flash-lite', '2025-07-22', 0.55),
  { ...embedding('gemini-embedding-2', '2026-05-20', 0.72), contextWindow: 8_192 },
  { ...embedding('gemini-embedding-001', '2025-05-20', 0.68), contextWindow: 2_048 },
];
