import type { ResultStream } from '../http/result-stream.ts';

/** Metadata of a call: from the response of the server, and of the request. */
export interface CallMeta {
  /** The name that was called. */
  readonly name: string;
  /** `stored`: a function of the server did it; `generated`: a model; `cache`: an answer that was given before. */
  readonly source: string;
  /** Of the call, the execution or the function call, whichever the server made. */
  readonly id?: string;
  readonly functionId?: string | null;
  readonly model?: string | null;
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  readonly totalTokens?: number;
  readonly warnings: readonly string[];
  /** Id of the request in the server's log. */
  readonly requestId: string | undefined;
  /** How often the request was sent again. */
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

/** A call under way: a promise of its output that can tell more. It was sent when it was made, and is sent once. */
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

  /** The output, with what is known of the call. */
  withMeta(): Promise<CallResult<T>> {
    return this.#instead(({ data, meta }) => ({ data, meta }));
  }

  /** The answer as it came. */
  asResponse(): Promise<Response> {
    return this.#instead(({ response }) => response.clone());
  }

  #instead<R>(choose: (result: RawResult<T>) => R): Promise<R> {
    // The failure is handled by the promise that this returns, and not here as well.
    this.catch(() => {});
    return (this.#result as Promise<RawResult<T>>).then(choose);
  }
}

/** An output that is still being written: everything in it may be absent, and texts may be cut. */
export type Partially<T> = T extends readonly (infer Item)[]
  ? Partially<Item>[]
  : T extends object
    ? { [K in keyof T]?: Partially<T[K]> }
    : T;

/**
 * A call under way whose output can be seen while it is written. It can be iterated once; to stop doing so ends the
 * call. Each piece is all of the output so far, in place of the one before; it may have less than that one where an
 * answer did not fit and the server asked again. The last piece is the whole output, and the only one where the server
 * cannot stream.
 */
export interface CallStream<T> extends ResultStream<Partially<T>, T> {
  withMeta(): Promise<CallResult<T>>;
}
