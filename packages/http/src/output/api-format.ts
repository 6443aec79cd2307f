import type { App, PatchbayError } from '@patchbay/core';
import type { SchemaName } from '../schemas/components.ts';

/** A failure as it is sent. */
export interface FormattedFailure {
  readonly status: number;
  readonly body: object;
  /** In addition to those of all failures. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The parts that all endpoints of an API share, where another vendor has defined it. */
export interface ApiFormat {
  /** A header that clients of this API send with every request, to tell it from the other APIs of an endpoint. */
  readonly mark?: string;
  /** Sent in addition to `Request-Id`. */
  readonly requestIdHeader: string;
  /** The response to a request that fails. */
  readonly failure: (error: PatchbayError, requestId: string) => FormattedFailure;
  readonly failureSchema: SchemaName;
  /** Parameters of `WWW-Authenticate`, in addition to those of all endpoints. */
  readonly challenge?: (app: App) => string | undefined;
  /** Sent when a stream is silent. Default: nothing. */
  readonly ping?: string;
  /** The end of a stream that fails, with the body that the response would have had. It follows the last piece. */
  readonly failureEvent: (body: string, last: string | Uint8Array) => string;
}
