import {
  apply,
  CapturedBuffer,
  CapturedBytes,
  CapturedView,
  exit,
  getUint8,
  getUint32,
  lengthOf,
  max,
  sealed,
  setBytes,
  setUint32,
} from './captured.js';

const HEADER_BYTES = 5;
const READ_BYTES = 65_536;

/**
 * The private connection to the host. It lives in this module's closure only.
 *
 * @param {string} path
 */
export async function openChannel(path) {
  const connection = await Deno.connect({ transport: 'unix', path });
  const read = connection.read.bind(connection);
  const write = connection.write.bind(connection);

  // The unread bytes: most frames of a run arrive in one piece.
  let memory = new CapturedBuffer(READ_BYTES);
  let size = READ_BYTES;
  let start = 0;
  let end = 0;
  let last = sealed(Promise.resolve());
  let held = 0;

  /**
   * The next bytes, for use until the next call.
   *
   * @param {number} length
   */
  async function take(length) {
    if (size - start < length) {
      const rest = new CapturedBytes(memory, start, end - start);
      size = max(length, READ_BYTES);
      const larger = new CapturedBuffer(size);
      apply(setBytes, new CapturedBytes(larger), [rest]);
      memory = larger;
      end -= start;
      start = 0;
    }
    while (end - start < length) {
      const count = await sealed(read(new CapturedBytes(memory, end, size - end)));
      // The host is gone, and with it the caller of this run.
      if (count === null) exit(0);
      end += /** @type {number} */ (count);
    }
    const bytes = new CapturedBytes(memory, start, length);
    start += length;
    return bytes;
  }

  return {
    /**
     * Wait for a frame. Only for use while the host is about to send one: a pending read keeps a run alive that can
     * never settle. What comes with it is for use until the next call.
     */
    async receive() {
      await sealed(take(HEADER_BYTES));
      const header = new CapturedView(memory, start - HEADER_BYTES, HEADER_BYTES);
      const type = apply(getUint8, header, [0]);
      return { type, payload: await sealed(take(apply(getUint32, header, [1]))) };
    },

    /**
     * An empty frame that travels with the next one.
     *
     * @param {number} type
     */
    hold(type) {
      held = type;
    },

    send,
  };

  /**
   * Frames go out one after the other: a write may take only a part of its bytes.
   *
   * @param {number} type
   * @param {Uint8Array} payload
   */
  function send(type, payload) {
    const prefix = held === 0 ? 0 : HEADER_BYTES;
    const length = lengthOf(payload);
    const frame = new CapturedBuffer(prefix + HEADER_BYTES + length);
    const bytes = new CapturedBytes(frame);
    if (prefix > 0) bytes[0] = held;
    held = 0;
    bytes[prefix] = type;
    apply(setUint32, new CapturedView(frame), [prefix + 1, length]);
    apply(setBytes, bytes, [payload, prefix + HEADER_BYTES]);
    last = sealed(sendAfter(last, frame, prefix + HEADER_BYTES + length));
    return last;
  }

  /**
   * @param {Promise<void>} previous
   * @param {ArrayBuffer} frame
   * @param {number} length
   */
  async function sendAfter(previous, frame, length) {
    await previous;
    let written = 0;
    while (written < length) written += await sealed(write(new CapturedBytes(frame, written)));
  }
}
