import { CapturedError, sealed } from './captured.js';

/**
 * What the host sends during a run. A read is pending only while a frame is expected: otherwise code that waits for what can
 * never come would wait until its time is up.
 *
 * @param {{ receive(): Promise<{ type: number, payload: Uint8Array }> }} channel
 */
export function createInbox(channel) {
  /** @type {Record<number, (payload: Uint8Array) => void>} */
  const receivers = /** @type {any} */ ({ __proto__: null });
  let expected = 0;
  let isReading = false;

  async function read() {
    isReading = true;
    while (expected > 0) {
      const { type, payload } = await sealed(channel.receive());
      const receiver = receivers[type];
      if (receiver === undefined) throw new CapturedError('a frame out of turn');
      expected--;
      receiver(payload);
    }
    isReading = false;
  }

  return {
    /**
     * @param {number} type
     * @param {(payload: Uint8Array) => void} receiver
     */
    on(type, receiver) {
      receivers[type] = receiver;
    },

    /** One more frame will come. */
    expect() {
      expected++;
      if (!isReading) void read();
    },
  };
}
