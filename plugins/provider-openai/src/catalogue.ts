import type { ModelInfo } from '@patchbay/core/provider';

// `source` is the vendor's page on the model. When models end stands in developers.openai.com/api/docs/deprecations;
// dates were compared with the lists of vercel.com/ai-gateway and models.dev too.
//
// Quality is our own reading of how OpenAI ranks its models, on one scale with the other vendors. It is no benchmark,
// only a place to begin until the gateway has seen answers.

const page = (name: string) => ({
  url: `https://developers.openai.com/api/docs/models/${name}`,
  checkedAt: '2026-11-21',
});

const sightAndTools = ['chat', 'code', 'reasoning', 'vision', 'structured-output', 'tools'] as const;
const noSampling = ['temperature', 'topP', 'frequencyPenalty', 'presencePenalty'] as const;

/** The GPT-5.6 and GPT-6 generations, and those before with as long a context. */
const long = { contextWindow: 1_050_000, maxTokens: 128_000, unsupported: noSampling, vendor: 'openai' } as const;

export const catalogue: readonly ModelInfo[] = [
  {
    name: 'gpt-6-astra',
    source: page('gpt-6-astra'),
    capabilities: sightAndTools,
    ...long,
    createdAt: '2026-09-03T00:00:00.000Z',
    quality: 0.95,
  },
  {
    name: 'gpt-6.1-sol',
    source: page('gpt-6.1-sol'),
    capabilities: sightAndTools,
    ...long,
    // Not in the price list yet. Above 272,000 tokens of question 4 and 15.
    pricing: { input: 2, output: 10 },
    createdAt: '2026-09-29T00:00:00.000Z',
    quality: 0.92,
  },
  {
    name: 'gpt-6.1-terra',
    source: page('gpt-6.1-terra'),
    capabilities: sightAndTools,
    ...long,
    // Not in the price list yet.
    pricing: { input: 1, output: 5 },
    createdAt: '2026-10-26T00:00:00.000Z',
    quality: 0.86,
  },
  {
    name: 'gpt-6-sol',
    source: page('gpt-6-sol'),
    capabilities: sightAndTools,
    ...long,
    createdAt: '2026-09-22T00:00:00.000Z',
    quality: 0.9,
  },
  {
    name: 'gpt-6-luna',
    source: page('gpt-6-luna'),
    capabilities: sightAndTools,
    ...long,
    createdAt: '2026-09-22T00:00:00.000Z',
    quality: 0.76,
  },
  {
    name: 'gpt-5.6-sol',
    source: page('gpt-5.6-sol'),
    capabilities: sightAndTools,
    ...long,
    createdAt: '2026-07-09T00:00:00.000Z',
    quality: 0.88,
  },
  {
    name: 'gpt-5.6-terra',
    source: page('gpt-5.6-terra'),
    capabilities: sightAndTools,
    ...long,
    createdAt: '2026-07-09T00:00:00.000Z',
    quality: 0.82,
  },
  {
    name: 'gpt-5.6-luna',
    source: page('gpt-5.6-luna'),
    capabilities: sightAndTools,
    ...long,
    createdAt: '2026-07-09T00:00:00.000Z',
    quality: 0.73,
  },
  {
    name: 'gpt-5.5',
    source: page('gpt-5.5'),
    capabilities: sightAndTools,
    ...long,
    createdAt: '2026-04-23T00:00:00.000Z',
    quality: 0.85,
  },
  {
    name: 'gpt-5.4',
    source: page('gpt-5.4'),
    capabilities: sightAndTools,
    ...long,
    createdAt: '2026-03-05T00:00:00.000Z',
    quality: 0.83,
  },
  {
    name: 'gpt-5.4-mini',
    source: page('gpt-5.4-mini'),
    capabilities: sightAndTools,
    ...long,
    contextWindow: 400_000,
    createdAt: '2026-03-17T00:00:00.000Z',
    quality: 0.74,
  },
  // Leave the API on 2026-12-11.
  {
    name: 'gpt-5',
    source: page('gpt-5'),
    capabilities: sightAndTools,
    ...long,
    contextWindow: 400_000,
    createdAt: '2025-08-07T00:00:00.000Z',
    quality: 0.72,
  },
  {
    name: 'gpt-5-mini',
    source: page('gpt-5-mini'),
    capabilities: sightAndTools,
    ...long,
    contextWindow: 400_000,
    createdAt: '2025-08-07T00:00:00.000Z',
    quality: 0.64,
  },
  // Leave the API on 2027-01-14.
  {
    name: 'gpt-4o',
    source: page('gpt-4o'),
    capabilities: ['chat', 'code', 'vision', 'tools', 'structured-output'],
    contextWindow: 128_000,
    maxTokens: 16_384,
    vendor: 'openai',
    createdAt: '2024-05-13T00:00:00.000Z',
    quality: 0.6,
  },
  {
    name: 'gpt-4o-mini',
    source: page('gpt-4o-mini'),
    capabilities: ['chat', 'code', 'vision', 'tools', 'structured-output'],
    contextWindow: 128_000,
    maxTokens: 16_384,
    vendor: 'openai',
    createdAt: '2024-07-18T00:00:00.000Z',
    quality: 0.5,
  },
  {
    name: 'gpt-4.1',
    source: page('gpt-4.1'),
    capabilities: ['chat', 'code', 'vision', 'tools', 'structured-output'],
    contextWindow: 1_047_576,
    maxTokens: 32_768,
    vendor: 'openai',
    createdAt: '2025-04-14T00:00:00.000Z',
    quality: 0.65,
  },
  {
    name: 'gpt-4.1-mini',
    source: page('gpt-4.1-mini'),
    capabilities: ['chat', 'code', 'vision', 'tools', 'structured-output'],
    contextWindow: 1_047_576,
    maxTokens: 32_768,
    vendor: 'openai',
    createdAt: '2025-04-14T00:00:00.000Z',
    quality: 0.55,
  },
  {
    name: 'text-embedding-3-large',
    source: page('text-embedding-3-large'),
    capabilities: ['embeddings'],
    contextWindow: 8_191,
    dimensions: 3_072,
    vendor: 'openai',
    createdAt: '2024-01-25T00:00:00.000Z',
    quality: 0.7,
  },
  {
    name: 'text-embedding-3-small',
    source: page('text-embedding-3-small'),
    capabilities: ['embeddings'],
    contextWindow: 8_191,
    dimensions: 1_536,
    vendor: 'openai',
    createdAt: '2024-01-25T00:00:00.000Z',
    quality: 0.55,
  },
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
