import {
  apply,
  CapturedBuffer,
  CapturedBytes,
  CapturedError,
  CapturedPromise,
  CapturedView,
  decode,
  encode,
  lengthOf,
  readNumber,
  setUint32,
  without,
} from './captured.js';
import { CALL, CANCEL, REPLY } from './frames.js';
import { describeRefusal } from './refusal.js';

// The host allows no more at a time; further calls wait here.
const MAX_IN_FLIGHT = 8;
const NUMBER_BYTES = 4;
/** Maximum bytes that the host accepts in one call. */
const MAX_BYTES = 4_194_304;
const tooLarge = JSON.stringify({ code: 'invalid_request', message: 'The arguments of a call have more than 4 MiB' });

/**
 * @typedef {object} Call
 * @property {Uint8Array} payload
 * @property {(json: string) => void} resolve
 * @property {(error: unknown) => void} reject
 * @property {Error} error Made where the code called, so that its stack tells where that was.
 * @property {number} number Its place among the calls of the run, once it is sent.
 * @property {boolean} isOver
 */

/**
 * Calls of the host. They and their numbers are kept in objects without a prototype, which the author's code cannot reach
 * into.
 *
 * @param {Awaited<ReturnType<typeof import('./channel.js').openChannel>>} channel
 * @param {ReturnType<typeof import('./inbox.js').createInbox>} inbox
 */
export function createCalls(channel, inbox) {
  /** @type {Record<number, Call>} */
  const waiting = /** @type {any} */ ({ __proto__: null });
  let firstWaiting = 0;
  let afterWaiting = 0;
  /** @type {Record<number, Call>} */
  const open = /** @type {any} */ ({ __proto__: null });
  let made = 0;
  let inFlight = 0;
  inbox.on(REPLY, takeReply);

  function sendWaiting() {
    while (inFlight < MAX_IN_FLIGHT && firstWaiting < afterWaiting) {
      const call = /** @type {Call} */ (waiting[firstWaiting]);
      delete waiting[firstWaiting];
      firstWaiting++;
      if (call.isOver) continue;
      made++;
      inFlight++;
      call.number = made;
      open[made] = call;
      void channel.send(CALL, call.payload);
      inbox.expect();
    }
  }

  /** @param {Uint8Array} payload */
  function takeReply(payload) {
    const number = readNumber(payload);
    const call = /** @type {Call} */ (open[number]);
    const isDone = payload[NUMBER_BYTES] === 1;
    const text = decode(without(payload, NUMBER_BYTES + 1));
    delete open[number];
    inFlight--;
    sendWaiting();
    if (call.isOver) return;
    call.isOver = true;
    if (isDone) call.resolve(text);
    else call.reject(describeRefusal(call.error, text));
  }

  /** @param {Call} call @param {unknown} reason */
  function giveUp(call, reason) {
    if (call.isOver) return;
    call.isOver = true;
    call.reject(reason);
    if (call.number === 0) return;
    const buffer = new CapturedBuffer(NUMBER_BYTES);
    apply(setUint32, new CapturedView(buffer), [0, call.number]);
    void channel.send(CANCEL, new CapturedBytes(buffer));
  }

  /**
   * @param {string} name
   * @param {string} argumentsJson
   * @param {AbortSignal | undefined} signal
   * @returns {Promise<string>} JSON text.
   */
  return function callHost(name, argumentsJson, signal) {
    const error = new CapturedError('');
    return new CapturedPromise((resolve, reject) => {
      const payload = encode(`${name}\n${argumentsJson}`);
      const call = /** @type {Call} */ ({ __proto__: null, payload, resolve, reject, error, number: 0, isOver: false });
      if (lengthOf(payload) > MAX_BYTES) throw describeRefusal(error, tooLarge);
      if (signal !== undefined) {
        signal.throwIfAborted();
        signal.addEventListener('abort', () => giveUp(call, signal.reason), { once: true });
      }
      waiting[afterWaiting] = call;
      afterWaiting++;
      sendWaiting();
    });
  };
}
