import type { Candidate, RouteRequest } from '@patchbay/core/plugin';
import type { ModelInfo } from '@patchbay/core/provider';

/** Fields in which a sample differs from the others. */
export interface Sample {
  readonly quality?: number;
  readonly pricing?: ModelInfo['pricing'];
  readonly observed?: Partial<Candidate['observed']>;
  readonly holdsPrompt?: boolean;
}

export const request: RouteRequest = { optimize: 'balanced', inputTokens: 1_000 };

/** A chat model like any other, but with a unique name: no two samples are deployments of one model. */
export function candidate(name: string, { quality = 0.7, pricing, observed = {}, ...more }: Sample = {}): Candidate {
  const info: ModelInfo = {
    name,
    vendor: 'acme',
    capabilities: ['chat'],
    maxTokens: 4_096,
    contextWindow: 100_000,
    quality,
    pricing: pricing ?? { input: 2, output: 8 },
  };
  const usual = { firstTokenMs: 500, msPerToken: 10, outputTokens: 200, failureRate: 0.01, inFlight: 1 };
  return { id: `sample/${name}`, info, observed: { ...usual, ...observed }, ...more };
}

/** A model of which nothing is known but its name. */
export function unknown(name: string): Candidate {
  return { id: `unknown/${name}`, info: { name, capabilities: ['chat'] }, observed: { failureRate: 0, inFlight: 0 } };
}

/** Candidates that differ in everything, the same for the same seed. */
export function assorted(count: number, seed: number): readonly Candidate[] {
  const random = sequence(seed);
  return Array.from({ length: count }, (_, index) => {
    const price = 0.1 + random() * 20;
    return candidate(`model-${index}`, {
      quality: random(),
      pricing: { input: price, output: price * 4 },
      observed: {
        firstTokenMs: 100 + random() * 3_000,
        msPerToken: 1 + random() * 40,
        outputTokens: 10 + random() * 1_000,
        failureRate: random() * 0.5,
        inFlight: Math.floor(random() * 20),
      },
    });
  });
}

/** Numbers in [0, 1) that look random and repeat with the seed (a linear congruential generator). */
export function sequence(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
