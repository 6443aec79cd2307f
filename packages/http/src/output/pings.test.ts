import { describe, expect, it } from 'vitest';
import { withPings } from './pings.ts';

/** A stream that waits for the test between its pieces. */
function slowStream(...pieces: readonly (string | Uint8Array | Error)[]) {
  let go = (): void => {};
  const state = { isClosed: false, go: () => go() };
  async function* stream() {
    try {
      for (const piece of pieces) {
        if (piece instanceof Error) throw piece;
        yield piece;
        await new Promise<void>((resolve) => {
          go = resolve;
        });
      }
    } finally {
      state.isClosed = true;
    }
  }
  return { stream: stream(), state };
}

describe('pings', () => {
  it('fill only the silences between events', async () => {
    const { stream, state } = slowStream('one', 'two');
    const pieces = withPings(stream, 'ping', 5);
    expect((await pieces.next()).value).toBe('one');
    expect((await pieces.next()).value).toBe('ping');
    expect((await pieces.next()).value).toBe('ping');
    state.go();
    let piece = await pieces.next();
    while (piece.value === 'ping') piece = await pieces.next();
    expect(piece.value).toBe('two');
    const end = pieces.next();
    state.go();
    expect((await end).done).toBe(true);
  });

  it('are not sent if the bytes of another server may continue within an event', async () => {
    const { stream, state } = slowStream(Buffer.from('data: 1\r\n'), new Uint8Array([2]));
    const pieces = withPings(stream, 'ping', 1);
    await pieces.next();
    const second = pieces.next();
    await new Promise((resolve) => setTimeout(resolve, 5));
    state.go();
    expect((await second).value).toEqual(new Uint8Array([2]));
  });

  it.each(['\n\n', '\r\n\r\n', '\r\r'])(
    'fill the silences after complete events of another server, ended by %j',
    async (end) => {
      const { stream, state } = slowStream(Buffer.from(`data: 1${end}`));
      const pieces = withPings(stream, 'ping', 5);
      await pieces.next();
      expect((await pieces.next()).value).toBe('ping');
      const closing = pieces.return(undefined);
      state.go();
      await closing;
    },
  );

  it('pass on a failure, and the end of the reader', async () => {
    const failing = withPings(slowStream(new Error('cut')).stream, 'ping');
    await expect(failing.next()).rejects.toThrow('cut');
    const { stream, state } = slowStream('one');
    const pieces = withPings(stream, 'ping', 5);
    await pieces.next();
    expect((await pieces.next()).value).toBe('ping');
    const closing = pieces.return(undefined);
    state.go();
    await closing;
    expect(state.isClosed).toBe(true);
  });
});
