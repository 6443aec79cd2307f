import type { RequestContext } from './context.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { ModelCapability, ModelInfo } from './provider.ts';

/** What matters to the caller. */
export const optimizations = ['quality', 'cost', 'performance', 'balanced'] as const;

export type Optimize = (typeof optimizations)[number];

/** What is to be routed. Whether a model can do it at all was decided before: every candidate can. */
export interface RouteRequest {
  readonly optimize: Optimize;
  /** Estimated tokens of the question. */
  readonly inputTokens: number;
  /** Tokens that the answer may have, where the caller said so. */
  readonly maxTokens?: number;
  /** What the models are asked to do, such as the name of a function: quality is learned per task. */
  readonly task?: string;
}

/** A model that can serve the request, with what was observed of it. */
export interface Candidate {
  /** `<provider>/<model_name>` */
  readonly id: string;
  readonly info: ModelInfo;
  readonly observed: Observed;
  /** How it did the task of the request before. Absent where there is none, or it never did it. */
  readonly fit?: TaskFit;
}

/** How often a model returned an object that fits the schema of a task, and how that went. Old counts fade. */
export interface TaskFit {
  readonly asked: number;
  /** Answers that fitted once their JSON was mended. */
  readonly mended: number;
  /** That fitted once the model was shown what was wrong. */
  readonly askedAgain: number;
  /** That never fitted. */
  readonly failed: number;
}

/** Moving averages over recent calls of one model at one provider. */
export interface Observed {
  /** Milliseconds until the first token; absent before the first call. */
  readonly firstTokenMs?: number;
  /** Milliseconds for each further token. */
  readonly msPerToken?: number;
  /** Milliseconds since the last answer that these two are learned from: the older, the less they tell. */
  readonly latencyAgeMs?: number;
  /** Tokens of an answer. */
  readonly outputTokens?: number;
  /** 0 to 1. */
  readonly failureRate: number;
  /** Requests under way now. */
  readonly inFlight: number;
}

export interface RankedModel {
  readonly id: string;
  /** Higher is better; comparable within one ranking. */
  readonly score: number;
  /** One sentence for the caller. */
  readonly reason: string;
}

/**
 * Chooses models.
 *
 * Pure over its inputs: chance enters through `random` only, so that a decision can be repeated and explained.
 */
export interface Router extends Lifecycle {
  /**
   * Every candidate, best first: the first is asked, the next ones when it fails.
   *
   * @param random Uniform in [0, 1), like `Math.random`.
   */
  route(
    request: RouteRequest,
    candidates: readonly Candidate[],
    random: () => number,
    context: RequestContext,
  ): Promise<readonly RankedModel[]>;
}

/** How a model is to be chosen. */
export interface RoutingOptions {
  /** What the model must be able to do, beyond what the request needs anyway. */
  readonly capabilities?: readonly ModelCapability[];
  /** Default `balanced`. */
  readonly optimize?: Optimize;
  /** USD that 1,000,000 tokens may cost, those of the question and those of the answer alike. Models without a known price are out. */
  readonly maxPrice?: number;
  /** Names of providers. */
  readonly providers?: { readonly allow?: readonly string[]; readonly deny?: readonly string[] };
  /** Models to try, in this order, when the first fails: at most 3. */
  readonly fallbacks?: readonly string[];
}
