/** One input of a function, and how its answers are checked. */
export interface EvalCase {
  /** Unique in its run, and the same when the run is resumed. */
  readonly id: string;
  readonly input: object;
  /** None: only failures, cost and latency are reported. */
  readonly checks: readonly Check[];
}

/** A check of the answers to a case. */
export interface Check {
  /** In reports: cases that are checked in the same way have the same name. */
  readonly name: string;
  /** For people who read why an answer has not passed, such as `at least {"city":"Rome"}`. */
  readonly expectation: string;
  grade(answer: Answer, context: CheckContext): Promise<Verdict>;
}

/** How a function answered an input: with its output, or with a failure. */
export type Answer =
  | { readonly output: unknown; readonly error?: undefined }
  | { readonly output?: undefined; readonly error: { readonly code: string; readonly message: string } };

export interface CheckContext {
  readonly case: EvalCase;
  /** Aborts when the run is interrupted. */
  readonly signal: AbortSignal;
  /**
   * POST to the server, with the key and the budget of the run. The same request about the same answer is paid once, whether
   * the run is interrupted or not.
   *
   * @returns The JSON of the response.
   * @throws APIError, ConnectionError
   */
  readonly call: (path: string, body: object) => Promise<unknown>;
}

/** A vote, or why there is none: such a check is left out of means, and counted by its reason. */
export type Verdict = Vote | { readonly noVote: string };

export interface Vote {
  /** From 0 to 1. */
  readonly score: number;
  readonly passed: boolean;
  /** Why, in words. */
  readonly reason?: string;
}

/** The vote of a check that knows only right and wrong. */
export function vote(passed: boolean): Vote {
  return { score: passed ? 1 : 0, passed };
}
