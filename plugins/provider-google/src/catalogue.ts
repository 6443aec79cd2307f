import type { ModelInfo } from '@patchbay/core/provider';

// `source` is the vendor's page on the model. When models end stands in ai.google.dev/gemini-api/docs/deprecations, and
// which of them ignore sampling in …/generate-content/whats-new-gemini-3.6.
//
// Quality is our own reading of how Google ranks its models, on one scale with the other vendors. It is no benchmark,
// only a place to begin until the gateway has seen answers.

const page = (path: string) => ({ url: `https://ai.google.dev/gemini-api/docs/${path}`, checkedAt: '2026-11-21' });

const noPenalties = ['frequencyPenalty', 'presencePenalty'] as const;

/** What holds for every Gemini model, also for those of the operator. */
export const geminiModel = { vendor: 'google', unsupported: noPenalties } as const;

const gemini = {
  capabilities: ['chat', 'code', 'reasoning', 'vision', 'tools', 'structured-output'],
  contextWindow: 1_048_576,
  maxTokens: 65_536,
  ...geminiModel,
} as const;

/** Since 3.5 Flash-Lite and 3.6 Flash, temperature and topP are taken and ignored. */
const withoutSampling = { ...gemini, unsupported: ['temperature', 'topP', ...noPenalties] } as const;

export const catalogue: readonly ModelInfo[] = [
  {
    name: 'gemini-4-argon',
    source: page('generate-content/latest-model'),
    ...withoutSampling,
    // What one answer may have that is not streamed; streamed it is twice as much.
    maxTokens: 32_768,
    // Not in the price list yet. Half of it until 2026-11-30.
    pricing: { input: 4, output: 20 },
    createdAt: '2026-10-13T00:00:00.000Z',
    quality: 0.93,
  },
  {
    name: 'gemini-3.8-flash',
    source: page('models/gemini-3.8-flash'),
    ...withoutSampling,
    createdAt: '2026-09-02T00:00:00.000Z',
    quality: 0.86,
  },
  // Deprecated: requests for it are answered by gemini-3.8-flash, at the same price.
  {
    name: 'gemini-3.7-flash',
    source: page('models/gemini-3.7-flash'),
    ...withoutSampling,
    createdAt: '2026-08-13T00:00:00.000Z',
    quality: 0.83,
  },
  {
    name: 'gemini-3.6-flash',
    source: page('models/gemini-3.6-flash'),
    ...withoutSampling,
    createdAt: '2026-07-21T00:00:00.000Z',
    quality: 0.8,
  },
  {
    name: 'gemini-3.5-flash-lite',
    source: page('models/gemini-3.5-flash-lite'),
    ...withoutSampling,
    createdAt: '2026-07-21T00:00:00.000Z',
    quality: 0.7,
  },
  {
    name: 'gemini-3.1-flash-lite',
    source: page('models/gemini-3.1-flash-lite'),
    ...gemini,
    createdAt: '2026-05-07T00:00:00.000Z',
    quality: 0.66,
  },
  {
    name: 'gemini-3-flash-preview',
    source: page('models/gemini-3-flash-preview'),
    ...gemini,
    createdAt: '2025-12-17T00:00:00.000Z',
    quality: 0.74,
  },
  // Leave the API on 2026-12-01.
  {
    name: 'gemini-2.5-pro',
    source: page('models/gemini-2.5-pro'),
    ...gemini,
    createdAt: '2025-06-17T00:00:00.000Z',
    quality: 0.75,
  },
  {
    name: 'gemini-2.5-flash',
    source: page('models/gemini-2.5-flash'),
    ...gemini,
    createdAt: '2025-06-17T00:00:00.000Z',
    quality: 0.66,
  },
  {
    name: 'gemini-2.5-flash-lite',
    source: page('models/gemini-2.5-flash-lite'),
    ...gemini,
    createdAt: '2025-07-22T00:00:00.000Z',
    quality: 0.55,
  },
  {
    name: 'gemini-embedding-2',
    source: page('models/gemini-embedding-2'),
    capabilities: ['embeddings'],
    contextWindow: 8_192,
    dimensions: 3_072,
    vendor: 'google',
    createdAt: '2026-05-20T00:00:00.000Z',
    quality: 0.72,
  },
  {
    name: 'gemini-embedding-001',
    source: page('models/gemini-embedding-001'),
    capabilities: ['embeddings'],
    contextWindow: 2_048,
    dimensions: 3_072,
    vendor: 'google',
    createdAt: '2025-05-20T00:00:00.000Z',
    quality: 0.68,
  },
];
