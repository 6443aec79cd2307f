import type { ResultStream } from '../http/result-stream.ts';
import type { Feedback, FeedbackBody, FeedbackOptions } from '../methods/endpoints.ts';

/** Sends feedback about a call. */
export type Score = (value: FeedbackBody['value'], options?: FeedbackOptions) => Promise<Feedback>;

/** Metadata of a call: from the response of the server, and from the request. */
export interface CallMeta {
  /** The name that was called. */
  readonly name: string;
  /** `stored`: a stored function; `generated`: a model; `cache`: a cached output. */
  readonly source: string;
  /** Id of the call, the execution or the function call. */
  readonly id?: string;
  readonly functionId?: string | null;
  readonly model?: string | null;
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  readonly totalTokens?: number;
  readonly warnings: readonly string[];
  /** Id of the request in the server's log. */
  readonly requestId: string | undefined;
  /** Number of retries. */
  readonly retries: number;
  readonly [more: string]: unknown;
}

export interface CallResult<T> {
  readonly data: T;
  readonly meta: CallMeta;
}

export interface RawResult<T> extends CallResult<T> {
  readonly response: Response;
}

/** A pending call: a promise of its output with further methods. It is sent once, when it is created. */
export class Call<T> extends Promise<T> {
  #result: Promise<RawResult<T>> | undefined;

  // `then` makes promises without a result.
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  static of<T>(result: Promise<RawResult<T>>): Call<T> {
    const call = new Call<T>((resolve, reject) => {
      result.then(({ data }) => resolve(data), reject);
    });
    call.#result = result;
    return call;
  }

  /** The output, with metadata of the call. */
  withMeta(): Promise<CallResult<T>> {
    return this.#instead(({ data, meta }) => ({ data, meta }));
  }

  /** The raw response. */
  asResponse(): Promise<Response> {
    return this.#instead(({ response }) => response.clone());
  }

  /**
   * Say how good the output was, from 0 to 1, or by another metric that the settings of the function declare. Rejects with
   * the error of the call if it failed.
   *
   * @example
   * ```ts
   * import { ai } from '@patchbay/client';
   *
   * const answer = ai['classify']({ text: 'Where is my parcel?' });
   * const { topic } = await answer;
   * await answer.score(topic === 'delivery');
   * ```
   */
  declare readonly score: Score;

  #instead<R>(choose: (result: RawResult<T>) => R): Promise<R> {
    // The failure is handled by the promise that is returned, not here as well.
    this.catch(() => {});
    return (this.#result as Promise<RawResult<T>>).then(choose);
  }
}

/** A partial output: all members may be absent, and strings may be truncated. */
export type Partially<T> = T extends readonly (infer Item)[]
  ? Partially<Item>[]
  : T extends object
    ? { [K in keyof T]?: Partially<T[K]> }
    : T;

/**
 * A pending call with a streamed output. It can be iterated once; ending the iteration cancels the
 * call. Each piece is the complete output so far and replaces the previous one; it may be smaller if an
 * invalid output was repaired. The last piece is the complete output, and the only one if the server
 * does not stream.
 */
export interface CallStream<T> extends ResultStream<Partially<T>, T> {
  withMeta(): Promise<CallResult<T>>;
  /** As for calls without a stream. Reads the stream to its end. */
  readonly score: Score;
}
