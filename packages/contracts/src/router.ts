import type { RequestContext } from './context.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { ModelCapability, ModelInfo } from './provider.ts';

/** The criteria that a caller can choose models by. */
export const optimizations = ['quality', 'cost', 'performance', 'balanced'] as const;

export type Optimize = (typeof optimizations)[number];

/** A request to be routed. Every candidate can serve it. */
export interface RouteRequest {
  readonly optimize: Optimize;
  /** Estimated tokens of the prompt. */
  readonly inputTokens: number;
  /** Maximum number of completion tokens, if the caller set it. */
  readonly maxTokens?: number;
  /** The task, such as the name of a function: quality is learned per task. */
  readonly task?: string;
  /** A model may be tried although another is expected to be better. Default false. */
  readonly mayExplore?: boolean;
}

/** A model that can serve the request, with observations of it. */
export interface Candidate {
  /** `<provider>/<model_name>` */
  readonly id: string;
  readonly info: ModelInfo;
  readonly observed: Observed;
  /**
   * It has already responded in this conversation: most of the prompt is in its cache, and costs `pricing.cacheRead`
   * there.
   */
  readonly holdsPrompt?: boolean | undefined;
  /** Its record on the task of the request. Absent without a task, or if the model has no record. */
  readonly fit?: TaskFit | undefined;
  /** Scores of its responses to the task of the request, if there are any. */
  readonly scores?: TaskScores | undefined;
  /** The same, under the settings that the task had before the current ones. */
  readonly earlierScores?: TaskScores | undefined;
}

/** Scores by callers, tests and judged runs, from 0 to 1. Old ones decay. */
export interface TaskScores {
  readonly count: number;
  readonly sum: number;
  /** Sum of the squares. */
  readonly squares: number;
  /** All scores ever given: does not decay. */
  readonly given: number;
}

/** How often the responses of a model matched the schema of a task. Old counts decay. */
export interface TaskFit {
  readonly asked: number;
  /** All responses ever requested: does not decay. */
  readonly everAsked?: number;
  /** Responses that matched after a repair of their JSON. */
  readonly mended: number;
  /** Responses that matched after the model received its errors. */
  readonly askedAgain: number;
  /** Responses that never matched. */
  readonly failed: number;
}

/** Moving averages over recent calls of one model at one provider. */
export interface Observed {
  /** Milliseconds until the first token; absent before the first call. */
  readonly firstTokenMs?: number;
  /** Milliseconds for each further token. */
  readonly msPerToken?: number;
  /** Milliseconds since the last response measured for these two. */
  readonly latencyAgeMs?: number;
  /** Tokens per completion. */
  readonly outputTokens?: number;
  /** 0 to 1. */
  readonly failureRate: number;
  /** Requests in progress. */
  readonly inFlight: number;
  /** Requests begun within about a second: quick responses leave no trace in `inFlight`. */
  readonly recent?: number;
}

export interface RankedModel {
  readonly id: string;
  /** Higher is better; comparable within one ranking. */
  readonly score: number;
  /** One sentence for the caller. */
  readonly reason: string;
  /** The probability with which this decision puts it first, if that is left to chance for the sake of learning. */
  readonly propensity?: number;
  /** Its quality at the task, as the router has learned it, for explanations. */
  readonly learned?: LearnedQuality;
}

/** Quality of a model at a task, from 0 to 1, as its scores show it. */
export interface LearnedQuality {
  readonly mean: number;
  /** Bounds of the 95 % interval. */
  readonly low: number;
  readonly high: number;
  /** Scores that count. Old ones decay. */
  readonly scores: number;
  /**
   * `champion`: it is called unless another one is tried. `trial`: it is tried because it has few scores. `challenger`:
   * it is tried in case it is better now. `other`: it is called only if those before it fail.
   */
  readonly role: 'champion' | 'trial' | 'challenger' | 'other';
}

/**
 * Chooses models.
 *
 * A pure function of its inputs: randomness comes only from `random`, so that decisions can be repeated and explained.
 */
export interface Router extends Lifecycle {
  /**
   * Rank all candidates, best first: the first is called, the next ones if it fails.
   *
   * @param random Uniform in [0, 1), like `Math.random`. Values just below 1 try no model for the sake of learning.
   */
  route(
    request: RouteRequest,
    candidates: readonly Candidate[],
    random: () => number,
    context: RequestContext,
  ): Promise<readonly RankedModel[]>;
}

/** The ways to continue a stream whose model fails after its first output. */
export const interruptions = ['error', 'resume'] as const;

/** Options for selecting a model. */
export interface RoutingOptions {
  /** Capabilities that the model must have, in addition to those the request requires. */
  readonly capabilities?: readonly ModelCapability[];
  /** Default `balanced`. */
  readonly optimize?: Optimize;
  /** Maximum USD per 1,000,000 tokens, for both prompt and completion. Models without a known price are excluded. */
  readonly maxPrice?: number;
  /** Names of providers. */
  readonly providers?: { readonly allow?: readonly string[]; readonly deny?: readonly string[] };
  /** Models to try, in this order, when the first fails: at most 3. */
  readonly fallbacks?: readonly string[];
  /** Whether another model continues an interrupted text stream. Default `resume`. */
  readonly onInterrupt?: (typeof interruptions)[number];
  /** Whether a router that learns may try a model although another is expected to be better. Default true. */
  readonly explore?: boolean;
}
