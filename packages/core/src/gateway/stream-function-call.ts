import type { OutputWatcher } from '../contracts/executor.ts';
import type { ValidCall } from './function-call.ts';

/** A piece of the JSON text of the arguments, or the notice that all text so far is void. */
export type FunctionCallPiece = { readonly delta: string } | { readonly restart: string };

export interface OpenFunctionCall {
  readonly done: Promise<ValidCall>;
  /** Ending the iteration aborts the call. */
  pieces(): AsyncGenerator<FunctionCallPiece, void, void>;
}

/**
 * Start a call and wait for the first piece of its arguments: until then, what fails is thrown and another model may be asked.
 *
 * @param carryOut Reports the text of the arguments to the watcher while it grows, and ends when the signal aborts.
 */
export async function openFunctionCall(
  carryOut: (watcher: OutputWatcher, signal: AbortSignal) => Promise<ValidCall>,
): Promise<OpenFunctionCall> {
  const abandoned = new AbortController();
  let waiting: FunctionCallPiece[] = [];
  let changed = Promise.withResolvers<void>();
  let shown = '';
  let isOver = false;
  const push = (piece: FunctionCallPiece): void => {
    waiting.push(piece);
    changed.resolve();
  };
  const watcher: OutputWatcher = {
    wrote(text) {
      // The whole call, which follows its pieces, may be spaced in another way.
      if (!text.startsWith(shown) || text.length === shown.length) return;
      push({ delta: text.slice(shown.length) });
      shown = text;
    },
    restarted(why) {
      if (shown !== '') push({ restart: why });
      shown = '';
    },
  };
  const done = carryOut(watcher, abandoned.signal);
  const end = (): void => {
    isOver = true;
    changed.resolve();
  };
  done.then(end, end);
  await changed.promise;
  if (waiting.length === 0) await done;

  return {
    done,
    async *pieces() {
      try {
        while (!isOver || waiting.length > 0) {
          const taken = waiting;
          waiting = [];
          changed = Promise.withResolvers<void>();
          yield* taken;
          if (!isOver && waiting.length === 0) await changed.promise;
        }
      } finally {
        abandoned.abort(new DOMException('the stream is no longer read', 'AbortError'));
      }
    },
  };
}
