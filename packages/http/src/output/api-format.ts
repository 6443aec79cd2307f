import type { PatchbayError } from '@patchbay/core';

/** A failure as it is sent. */
export interface FormattedFailure {
  readonly status: number;
  readonly body: object;
  readonly headers: Readonly<Record<string, string>>;
}

/** What all endpoints of an API have in common, where another vendor has defined it. */
export interface ApiFormat {
  /** Sent beside `Request-Id`. */
  readonly requestIdHeader: string;
  /** The response to a request that fails. */
  readonly failure: (error: PatchbayError, requestId: string) => FormattedFailure;
  /** The end of a stream that fails, with the body that the response would have had. */
  readonly failureEvent: (body: string) => string;
}
