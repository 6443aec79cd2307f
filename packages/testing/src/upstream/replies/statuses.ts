import type { RefusalCause } from '../dialects/dialect.ts';
import type { Reply } from '../exchange.ts';
import { respondJson } from './healthy.ts';

export interface StatusOptions {
  /** Value of `Retry-After`, sent as is. */
  readonly retryAfter?: string;
  /** The vendor's words, within the vendor's error document. */
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Fails with a status and the vendor's error document. */
export function status(code: number, options: StatusOptions = {}): Reply {
  const { message = 'The upstream was told to fail.', retryAfter, headers = {} } = options;
  return (exchange) =>
    respondJson(exchange, exchange.dialect.error(code, message), code, {
      ...headers,
      ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
    });
}

/** Refuses the request for a cause that the caller can do something about, in the vendor's words. */
export function refusal(cause: RefusalCause): Reply {
  return (exchange) => {
    const refused = exchange.dialect.refusal(cause);
    if (refused === undefined) throw new Error(`the dialect has no answer for ${cause}`);
    const { status: code, body } = refused;
    return respondJson(exchange, body, code);
  };
}
