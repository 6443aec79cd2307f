import type { RequestContext } from './context.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { ModelCapability, ModelInfo } from './provider.ts';

/** What the caller needs from a model. */
export interface RouteRequest {
  readonly capabilities: readonly ModelCapability[];
  readonly optimize: 'quality' | 'cost' | 'performance' | 'balanced';
  /** Estimated tokens of the question. */
  readonly inputTokens: number;
  /** Tokens that the answer may have. */
  readonly maxTokens?: number;
  /** USD per 1,000,000 output tokens. */
  readonly maxPrice?: number;
}

/** A model that is mounted and permitted, with what was observed of it. */
export interface Candidate {
  /** `<provider>/<model_name>` */
  readonly id: string;
  readonly info: ModelInfo;
  /** Moving averages over recent calls; absent where there were none. */
  readonly observed?: {
    readonly firstTokenMs: number;
    readonly msPerToken: number;
    readonly failureRate: number;
  };
}

export interface RankedModel {
  readonly id: string;
  readonly score: number;
  /** One sentence for the caller. */
  readonly reason: string;
}

/** Chooses models. Pure over its inputs: the same request and candidates give the same ranking. */
export interface Router extends Lifecycle {
  /** Best first. A candidate that lacks what the request needs is not in `ranked`, but in `refused` with the reason. */
  route(
    request: RouteRequest,
    candidates: readonly Candidate[],
    context: RequestContext,
  ): Promise<{ readonly ranked: readonly RankedModel[]; readonly refused: readonly { id: string; reason: string }[] }>;
}
