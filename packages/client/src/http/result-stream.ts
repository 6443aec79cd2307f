import { ConnectionError, errorOf } from '../errors.ts';
import type { HttpReply } from './http.ts';

/**
 * A pending streamed response. It can be iterated once; ending the iteration cancels the request.
 */
export interface ResultStream<Piece, Result> extends AsyncIterable<Piece> {
  /** Resolves to the complete result, even without iterating. */
  final(): Promise<Result>;
}

/** How a stream is read. */
interface Reading<Piece, Result> {
  /**
   * The piece that a delta yields; `before` is the previous piece, unless the server has restarted the output since. The complete
   * response is mapped likewise: it is the only piece if the server does not stream.
   */
  readonly pieceOf: (document: unknown, before?: Piece) => Piece;
  /** Whether pieces add up to the complete text; otherwise each replaces the previous one, and the complete one comes last. */
  readonly addsUp: boolean;
  readonly finish: (whole: unknown, reply: HttpReply) => Result | Promise<Result>;
}

/** @param opening Already started. */
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

/** The pieces in the deltas of a response, then its final document. */
async function* readStream<Piece>(
  reply: HttpReply,
  pieceOf: (delta: unknown, before?: Piece) => Piece,
): AsyncGenerator<Piece, unknown, void> {
  // Loaded on demand.
  const { readDeltas } = await import('./read-deltas.ts');
  const last = yield* readDeltas(reply, pieceOf);
  if (!last) throw new ConnectionError('the stream ended early');
  const { event, json } = last;
  if (event === 'error') throw errorOf((json as { readonly status: number }).status, json, reply.headers);
  return json;
}
