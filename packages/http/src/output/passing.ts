import type { Streamed } from './wire.ts';

type Piece = string | Uint8Array;

interface Watching {
  /** Sees each piece that passes. */
  readonly piece?: (piece: Piece) => void;
  /** The last piece of a stream that fails. Default: the stream fails for its reader as well. */
  readonly failed?: (error: unknown) => Piece;
  /** The stream is complete, has failed, or its reader has left it. May be called again. */
  readonly over?: () => void;
}

/**
 * The same pieces, watched as they pass. Neither a generator nor an async function: each costs more per piece
 * than making the piece does.
 */
export function passing(stream: Streamed, { piece, failed, over }: Watching): Streamed {
  return {
    [Symbol.asyncIterator]() {
      const pieces = stream[Symbol.asyncIterator]();
      let isOver = false;
      const end = (): void => {
        isOver = true;
        over?.();
      };
      const pass = (step: IteratorResult<Piece>): IteratorResult<Piece> => {
        if (step.done) end();
        else piece?.(step.value);
        return step;
      };
      const fail = (error: unknown): IteratorResult<Piece> => {
        end();
        if (!failed) throw error;
        return { value: failed(error) };
      };
      return {
        next: () => (isOver ? Promise.resolve({ value: undefined, done: true }) : pieces.next().then(pass, fail)),
        async return() {
          try {
            await pieces.return?.();
          } finally {
            end();
          }
          return { value: undefined, done: true };
        },
      };
    },
  };
}
