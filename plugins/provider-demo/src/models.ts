import type { ModelInfo } from '@patchbay/core/provider';
import { DIMENSIONS } from './hash-embedding.ts';

const free = { input: 0, output: 0 };

/** Chosen automatically only while no other provider has a model. */
const shared = { pricing: free, quality: 0.01, lastResort: true, createdAt: '2026-11-01T00:00:00.000Z' } as const;

export const models: ReadonlyMap<string, ModelInfo> = new Map(
  [
    {
      ...shared,
      name: 'extractive',
      capabilities: ['chat', 'tools', 'structured-output'],
      maxTokens: 4_096,
      contextWindow: 16_384,
    },
    {
      ...shared,
      name: `hash-embed-${DIMENSIONS}`,
      capabilities: ['embeddings'],
      dimensions: DIMENSIONS,
      contextWindow: 16_384,
    },
  ].map((model) => [model.name, model as ModelInfo]),
);
