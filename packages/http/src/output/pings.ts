import type { Streamed } from './wire.ts';

/** Proxies commonly close a connection that has been silent for a minute. */
const SILENCE_MS = 15_000;

/**
 * Send something in each silence of a stream, for clients and proxies that give up on a silent connection. Only after whole
 * events: bytes come from another server, which may continue within an event.
 */
export async function* withPings(
  stream: Streamed,
  ping: string,
  silenceMs = SILENCE_MS,
): AsyncGenerator<string | Uint8Array> {
  const iterator = stream[Symbol.asyncIterator]();
  let wake = (): void => {};
  const timer = setTimeout(() => wake(), silenceMs);
  try {
    let next = iterator.next();
    for (let isWhole = false; ; ) {
      const silence = new Promise<undefined>((resolve) => {
        wake = () => resolve(undefined);
      });
      timer.refresh();
      const result: IteratorResult<string | Uint8Array> | undefined = isWhole
        ? await Promise.race([next, silence])
        : await next;
      if (result === undefined) {
        yield ping;
        continue;
      }
      if (result.done) return;
      isWhole = endsEvent(result.value);
      yield result.value;
      next = iterator.next();
    }
  } finally {
    clearTimeout(timer);
    await iterator.return?.();
  }
}

const [lineFeed, carriageReturn] = [0x0a, 0x0d];

/** Whether there is an empty line at the end of a piece. */
function endsEvent(piece: string | Uint8Array): boolean {
  if (typeof piece === 'string') return true;
  const [before, last] = [piece.at(-2), piece.at(-1)];
  if (last === carriageReturn) return before === carriageReturn;
  return last === lineFeed && (before === lineFeed || (before === carriageReturn && piece.at(-3) === lineFeed));
}
