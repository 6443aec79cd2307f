import { errorOf } from '../api-error.ts';
import { ConnectionError } from '../errors.ts';
import type { HttpReply } from './http.ts';

/**
 * An answer under way that can be seen while it is written. It can be iterated once; to stop doing so ends the request.
 */
export interface ResultStream<Piece, Result> extends AsyncIterable<Piece> {
  /** The whole, also where nobody iterates. */
  final(): Promise<Result>;
}

/**
 * @param opening Under way already.
 * @param read Gives the pieces of what was opened, and returns the whole.
 */
export function createResultStream<Opened, Piece, Result>(
  opening: Promise<Opened>,
  read: (opened: Opened) => AsyncGenerator<Piece, Result, void>,
): ResultStream<Piece, Result> {
  let resolve: (result: Result) => void;
  let reject: (error: unknown) => void;
  const promise = new Promise<Result>((...both) => {
    [resolve, reject] = both;
  });
  // Whoever iterates sees the failure there.
  promise.catch(() => {});
  opening.catch(() => {});

  async function* readAll(): AsyncGenerator<Piece, void, void> {
    try {
      resolve(yield* read(await opening));
    } catch (error) {
      reject(error);
      throw error;
    } finally {
      reject(new DOMException('the stream was left', 'AbortError'));
    }
  }
  const pieces = readAll();
  return {
    async final() {
      while (!(await pieces.next()).done);
      return await promise;
    },
    [Symbol.asyncIterator]: () => pieces,
  };
}

/** The pieces in the deltas of an answer, then the document at its end. */
export async function* readStream<Piece>(
  reply: HttpReply,
  pieceOf: (delta: unknown) => Piece,
): AsyncGenerator<Piece, unknown, void> {
  // Loaded by those who need it only.
  const { readDeltas } = await import('./read-deltas.ts');
  const last = yield* readDeltas(reply, pieceOf);
  if (!last) throw new ConnectionError('the stream was cut off');
  const { event, json } = last;
  if (event === 'error') throw errorOf((json as { readonly status: number }).status, json, reply.headers);
  return json;
}
