import { ConnectionError, errorOf } from '../errors.ts';
import type { HttpReply } from './http.ts';

/**
 * An answer under way that can be seen while it is written. It can be iterated once; to stop doing so ends the request.
 */
export interface ResultStream<Piece, Result> extends AsyncIterable<Piece> {
  /** Resolves to the complete result, even without iterating. */
  final(): Promise<Result>;
}

/** How an answer is read while it is written. */
interface Reading<Piece, Result> {
  /**
   * The piece that a delta yields; `before` is the previous piece, unless the server has restarted the output since. The whole is
   * mapped likewise: it is the only piece where the server does not stream.
   */
  readonly pieceOf: (document: unknown, before?: Piece) => Piece;
  /** The pieces add up to the whole; else each stands for all that there is, and the whole comes last. */
  readonly addsUp: boolean;
  readonly finish: (whole: unknown, reply: HttpReply) => Result | Promise<Result>;
}

/** @param opening Under way already. */
export function createResultStream<Piece, Result>(
  opening: Promise<HttpReply>,
  { pieceOf, addsUp, finish }: Reading<Piece, Result>,
): ResultStream<Piece, Result> {
  // The failure is thrown to the consumer of the stream.
  opening.catch(() => {});
  let whole = async (): Promise<Result> => {
    throw new DOMException('the stream was left', 'AbortError');
  };

  async function* readAll(): AsyncGenerator<Piece, void, void> {
    try {
      const reply = await opening;
      const json = reply.stream ? yield* readStream(reply, pieceOf) : reply.json;
      if (!(reply.stream && addsUp)) yield pieceOf(json);
      const result = await finish(json, reply);
      whole = async () => result;
    } catch (error) {
      whole = async () => {
        throw error;
      };
      throw error;
    }
  }
  const pieces = readAll();
  return {
    async final() {
      while (!(await pieces.next()).done);
      return await whole();
    },
    [Symbol.asyncIterator]: () => pieces,
  };
}

/** The pieces in the deltas of an answer, then the document at its end. */
async function* readStream<Piece>(
  reply: HttpReply,
  pieceOf: (delta: unknown, before?: Piece) => Piece,
): AsyncGenerator<Piece, unknown, void> {
  // Loaded by those who need it only.
  const { readDeltas } = await import('./read-deltas.ts');
  const last = yield* readDeltas(reply, pieceOf);
  if (!last) throw new ConnectionError('the stream ended early');
  const { event, json } = last;
  if (event === 'error') throw errorOf((json as { readonly status: number }).status, json, reply.headers);
  return json;
}
