import { createResultStream, type ResultStream, readStream } from '../http/result-stream.ts';
import type { Output } from '../shape/output.ts';
import type { CallResult } from './call.ts';
import { type CallAnswer, readCallAnswer } from './call-answer.ts';
import type { Resolved } from './resolve-call.ts';

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

/** Makes a result of an answer: checks it, and adds what the request was. */
type Finish<T> = (resolved: Resolved, answer: CallAnswer) => Promise<CallResult<T>>;

export function createCallStream<T>(
  resolving: Promise<Resolved>,
  output: Output | undefined,
  finish: Finish<T>,
): CallStream<T> {
  const partial = (value: unknown) => (output ? output.parsePartial(value) : value) as Partially<T>;
  const partialOf = (delta: unknown) => partial((delta as { readonly output: unknown }).output);

  async function* read(resolved: Resolved): AsyncGenerator<Partially<T>, CallResult<T>, void> {
    const { reply, answer = readCallAnswer(yield* readStream(reply, partialOf)) } = resolved;
    yield partial(answer.output);
    return await finish(resolved, answer);
  }

  const { final: withMeta, ...stream } = createResultStream(resolving, read);
  return { ...stream, withMeta, final: async () => (await withMeta()).data };
}
