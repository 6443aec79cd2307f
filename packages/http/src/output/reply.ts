/** What an operation answers. */
export type Reply = ReplyHead &
  (
    | { readonly json: unknown }
    | { readonly text: string; readonly mediaType: string }
    /** Sent piece by piece, as server-sent events or the like. The iteration is ended early when the client leaves. */
    | { readonly stream: AsyncIterable<string>; readonly mediaType: string }
    | { readonly empty: true }
  );

interface ReplyHead {
  /** Default: the status of the row's `success`. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Path of what was made, within the area of the operation; becomes `Location`. */
  readonly location?: string;
}

/** An answer in the form that binders write: every header but `Content-Length`, and the body as text. */
export interface WireReply {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | AsyncIterable<string> | undefined;
  /** The connection must not be used again. */
  readonly close: boolean;
}
