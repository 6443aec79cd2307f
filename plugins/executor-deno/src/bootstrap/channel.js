import { apply, CapturedBytes, CapturedView, sealed, setBytes, setUint32 } from './captured.js';

const HEADER_BYTES = 5;

/**
 * The private connection to the host. It lives in this module's closure only.
 *
 * @param {string} path
 */
export async function openChannel(path) {
  const connection = await Deno.connect({ transport: 'unix', path });
  const read = connection.read.bind(connection);
  const write = connection.write.bind(connection);

  let last = sealed(Promise.resolve());

  /** @param {number} length */
  async function readExactly(length) {
    const bytes = new CapturedBytes(length);
    let filled = 0;
    while (filled < length) {
      const count = await read(new CapturedBytes(bytes.buffer, filled));
      // The host is gone, so nobody waits for this run.
      if (count === null) Deno.exit(0);
      filled += count;
    }
    return bytes;
  }

  return {
    /**
     * Only for use before the author's code is loaded: a pending read would keep a run alive that can never settle.
     *
     * @param {number} type
     */
    async receive(type) {
      const header = await readExactly(HEADER_BYTES);
      if (header[0] !== type) throw new Error(`expected frame ${type}, got ${header[0]}`);
      return readExactly(new DataView(header.buffer).getUint32(1));
    },

    /**
     * Frames go out one after the other: a write may take only a part of its bytes.
     *
     * @param {number} type
     * @param {Uint8Array} payload
     */
    send(type, payload) {
      last = sealed(sendAfter(last, type, payload));
      return last;
    },
  };

  /**
   * @param {Promise<void>} previous
   * @param {number} type
   * @param {Uint8Array} payload
   */
  async function sendAfter(previous, type, payload) {
    await previous;
    const length = payload.length;
    const frame = new CapturedBytes(HEADER_BYTES + length);
    frame[0] = type;
    apply(setUint32, new CapturedView(frame.buffer), [1, length]);
    apply(setBytes, frame, [payload, HEADER_BYTES]);
    let written = 0;
    while (written < HEADER_BYTES + length) {
      written += await sealed(write(new CapturedBytes(frame.buffer, written)));
    }
  }
}
