import { errorOf } from '../api-error.ts';
import { ConnectionError } from '../errors.ts';
import type { HttpReply } from '../http/http.ts';
import type { Output } from '../shape/output.ts';
import type { CallResult } from './call.ts';
import { type CallAnswer, readCallAnswer } from './call-answer.ts';
import type { LastEvent } from './read-partials.ts';
import type { Resolved } from './resolve-call.ts';

/** An output that is still being written: everything in it may be absent, and texts may be cut. */
export type Partially<T> = T extends readonly (infer Item)[]
  ? Partially<Item>[]
  : T extends object
    ? { [K in keyof T]?: Partially<T[K]> }
    : T;

/**
 * A call under way whose output can be seen while it is written. It can be iterated once; to stop doing so ends the
 * call. The last piece is the whole output, and the only one where the server cannot stream.
 */
export interface CallStream<T> extends AsyncIterable<Partially<T>> {
  /** The whole output, checked. */
  final(): Promise<T>;
  withMeta(): Promise<CallResult<T>>;
}

/** Makes a result of an answer: checks it, and adds what the request was. */
type Finish<T> = (resolved: Resolved, answer: CallAnswer) => Promise<CallResult<T>>;

export function createCallStream<T>(
  resolving: Promise<Resolved>,
  output: Output | undefined,
  finish: Finish<T>,
): CallStream<T> {
  let resolve: (result: CallResult<T>) => void;
  let reject: (error: unknown) => void;
  const whole = new Promise<CallResult<T>>((...both) => {
    [resolve, reject] = both;
  });
  // Whoever iterates sees the failure there.
  whole.catch(() => {});
  resolving.catch(() => {});

  async function* readAll(): AsyncGenerator<Partially<T>, void, void> {
    try {
      const resolved = await resolving;
      const { reply, answer = yield* read(reply) } = resolved;
      yield partial(answer.output);
      resolve(await finish(resolved, answer));
    } catch (error) {
      reject(error);
      throw error;
    } finally {
      reject(new DOMException('the stream was left', 'AbortError'));
    }
  }

  async function* read(reply: HttpReply): AsyncGenerator<Partially<T>, CallAnswer, void> {
    // Loaded by those who need it only.
    const { readPartials } = await import('./read-partials.ts');
    return answerOf(yield* readPartials(reply, partial), reply);
  }

  const partial = (value: unknown) => (output ? output.parsePartial(value) : value) as Partially<T>;
  const pieces = readAll();
  const withMeta = async (): Promise<CallResult<T>> => {
    while (!(await pieces.next()).done);
    return await whole;
  };
  return {
    final: async () => (await withMeta()).data,
    withMeta,
    [Symbol.asyncIterator]: () => pieces,
  };
}

function answerOf(last: LastEvent | undefined, { headers }: HttpReply): CallAnswer {
  if (!last) throw new ConnectionError('the stream was cut off');
  const { event, json } = last;
  if (event === 'error') throw errorOf((json as { readonly status: number }).status, json, headers);
  return readCallAnswer(json);
}
