import type { ContentLevel } from './content.ts';
import type { JsonObject } from './json.ts';
import type { RateLimit } from './limits.ts';
import type { Sampling } from './provider.ts';
import type { RoutingOptions } from './router.ts';

/** An input with the expected output. */
export interface FunctionExample {
  readonly input: JsonObject;
  readonly output: JsonObject;
}

/** A measure of how good the answers of a function are, given as feedback. */
export interface Metric {
  /** Whether more is better, or less: values are booleans, or numbers from 0 to 1. Absent: it is only recorded. */
  readonly optimize?: 'max' | 'min';
  /** Its share in the choice of a model, next to other metrics. Default 1. */
  readonly weight?: number;
}

/** The statuses after which a run can be repeated. */
export const repeatedStatuses = ['failed', 'timed_out', 'interrupted'] as const;

/** Whether and when asynchronous runs are repeated. */
export interface RetryPolicy {
  /** Number of runs, including the first one. */
  readonly attempts: number;
  /** Interval before the second run, such as `30s`; doubled before each further one, up to an hour. Default `1s`. */
  readonly backoff?: string;
  /** Default: all. */
  readonly on?: readonly (typeof repeatedStatuses)[number][];
}

/** The settings that an execution keeps from the time it was accepted. */
export type RunPolicy = Pick<
  FunctionSettings,
  'retry' | 'timeoutMs' | 'memoryMb' | 'concurrency' | 'rateLimit' | 'content'
>;

/**
 * Model settings of a function, stored on the server so that applications do not contain them: the model, the prompt and
 * the sampling. Every member is optional.
 */
export interface FunctionSettings extends Sampling {
  /** `<provider>/<model_name>`; absent or `auto`: the gateway chooses. */
  readonly model?: string;
  readonly routing?: RoutingOptions;
  /** System prompt. Default: the name and the description of the function. */
  readonly system?: string;
  /**
   * Prompt template. `{{input}}` is replaced by the whole input as JSON, `{{input.text}}` by a member of it,
   * `{{name}}` and `{{description}}` by those of the function. Default: the input as JSON.
   */
  readonly prompt?: string;
  /** Shown to the model before the prompt. */
  readonly examples?: readonly FunctionExample[];
  /** How often a model may repair an invalid response before the next model is tried. Default 2. */
  readonly repairs?: number;
  /** Seconds for which the response to an equal call is cached. Default 0: never. */
  readonly cacheSeconds?: number;
  /** By name. `score` exists without being declared: the more, the better. */
  readonly metrics?: Readonly<Record<string, Metric>>;
  /** For asynchronous executions, and those of schedules. Default: none is repeated. */
  readonly retry?: RetryPolicy;
  /** Milliseconds that the code of the function may run. Default, and at most: those of the config. */
  readonly timeoutMs?: number;
  /** Megabytes that the code of the function may use. Default, and at most: those of the executor. */
  readonly memoryMb?: number;
  /** Executions that run at the same time: asynchronous ones, and those of code. Default: any number. */
  readonly concurrency?: {
    readonly limit: number;
    /** A property of the input: only executions with the same value of it count. */
    readonly by?: string;
  };
  /** How often the function runs: `burst` times at once, and then `requests` times per `seconds`. Default: any number. */
  readonly rateLimit?: RateLimit;
  /** The most that is stored of the content of its calls. Default, and at most: as much as the config allows. */
  readonly content?: ContentLevel;
  /** The function as a tool of agents. */
  readonly mcp?: {
    /** Whether the function is a tool of agents. Default true. */
    readonly expose?: boolean;
    /** Whether a call is a task, whose result agents that support tasks read later. Default false. */
    readonly task?: boolean;
  };
}
