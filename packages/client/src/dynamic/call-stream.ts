import type { ResultStream } from '../http/result-stream.ts';
import type { CallResult } from './call.ts';

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
