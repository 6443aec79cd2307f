import type { JsonValue } from '@patchbay/core/plugin';

/** A request as the upstream saw it. */
export interface UpstreamRequest {
  readonly method: string;
  /** With the query, such as `/v1/models/x:streamGenerateContent?alt=sse`. */
  readonly path: string;
  /** By lower-case name; for a header that was sent twice, both values joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body as JSON. `undefined` if it is not JSON. */
  readonly json: JsonValue | undefined;
  /** Counted from 1: two requests with the same number came through the same connection. */
  readonly connection: number;
  /** Whether the client closed the connection before the reply was complete. */
  readonly aborted: boolean;
  /** Aborts when the connection closes, on either side. */
  readonly closed: AbortSignal;
}
