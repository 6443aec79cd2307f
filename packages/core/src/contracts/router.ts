import type { RequestContext } from './context.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { ModelCapability, ModelInfo } from './provider.ts';

/** The criteria that a caller can choose models by. */
export const optimizations = ['quality', 'cost', 'performance', 'balanced'] as const;

export type Optimize = (typeof optimizations)[number];

/** A request to be routed. Whether a model can serve it at all was decided before: every candidate can. */
export interface RouteRequest {
  readonly optimize: Optimize;
  /** Estimated tokens of the prompt. */
  readonly inputTokens: number;
  /** Tokens that the response may have, where the caller said so. */
  readonly maxTokens?: number;
  /** The task of the models, such as the name of a function: quality is learned per task. */
  readonly task?: string;
}

/** A model that can serve the request, with observations of it. */
export interface Candidate {
  /** `<provider>/<model_name>` */
  readonly id: string;
  readonly info: ModelInfo;
  readonly observed: Observed;
  /** Its record on the task of the request. Absent where there is no task, or the model never did it. */
  readonly fit?: TaskFit;
}

/** How often the responses of a model fitted the schema of a task. Old counts fade. */
export interface TaskFit {
  readonly asked: number;
  /** Responses that fitted once their JSON was repaired. */
  readonly mended: number;
  /** That fitted once the model was shown its errors. */
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
  /** Milliseconds since the last response that these two were measured on. */
  readonly latencyAgeMs?: number;
  /** Tokens of a response. */
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
  /** Capabilities that the model must have, beyond those that the request needs anyway. */
  readonly capabilities?: readonly ModelCapability[];
  /** Default `balanced`. */
  readonly optimize?: Optimize;
  /** USD that 1,000,000 tokens may cost, of the prompt and of the response alike. Models without a known price are out. */
  readonly maxPrice?: number;
  /** Names of providers. */
  readonly providers?: { readonly allow?: readonly string[]; readonly deny?: readonly string[] };
  /** Models to try, in this order, when the first fails: at most 3. */
  readonly fallbacks?: readonly string[];
}
