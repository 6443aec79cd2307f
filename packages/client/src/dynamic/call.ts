/** What is known of a call beside its output: what the server answers, and how it was asked. */
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
    // Whoever takes this promise handles the failure there, and not here as well.
    this.catch(() => {});
    return (this.#result as Promise<RawResult<T>>).then(choose);
  }
}
