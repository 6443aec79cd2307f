import {
  apply,
  asyncIterator,
  CapturedPromise,
  decode,
  defineProperty,
  iterator,
  lengthOf,
  parseJson,
  sealed,
} from './captured.js';
import { markYielded } from './console.js';
import { MARKED_YIELD, RESUME, YIELD } from './frames.js';
import { serialiseOutput } from './output.js';

/** All outputs of a generator together may have this many times the bytes of one. */
const OUTPUTS = 256;
/** Outputs that may be on their way when the generator goes on, after one of this size. */
const AHEAD = 63;
const SMALL_BYTES = 1024;

/** @typedef {import('./output.js').Output} Output */
/** @typedef {{ next(): unknown }} Steps */

/**
 * @typedef {object} Yielding
 * @property {number} outputBytes
 * @property {string | undefined} textProperty The property that text is added to.
 * @property {Hand | undefined} hand Absent: the outputs are not watched.
 */

/**
 * @typedef {object} Hand
 * @property {(bytes: Uint8Array) => Promise<void>} pass Hands an output to the host. Resolves when the generator may go on.
 * @property {() => Promise<void>} passed Resolves when all outputs were taken.
 */

/**
 * The way of outputs to the host, of which few are on their way at a time: to wait for each would make a busy machine slow.
 *
 * @param {Awaited<ReturnType<typeof import('./channel.js').openChannel>>} channel
 * @param {ReturnType<typeof import('./inbox.js').createInbox>} inbox
 * @returns {Hand}
 */
export function createHand(channel, inbox) {
  let onTheirWay = 0;
  let most = 0;
  let wake = () => {};

  inbox.on(RESUME, () => {
    onTheirWay--;
    if (onTheirWay <= most) wake();
  });

  /** @param {number} count @returns {Promise<void>} */
  const untilAtMost = (count) =>
    new CapturedPromise((resolve) => {
      most = count;
      wake = resolve;
      if (onTheirWay <= count) resolve();
    });

  return {
    pass(bytes) {
      onTheirWay++;
      inbox.expect();
      void channel.send(markYielded() ? MARKED_YIELD : YIELD, bytes);
      return untilAtMost(lengthOf(bytes) > SMALL_BYTES ? 0 : AHEAD);
    },
    passed: () => untilAtMost(0),
  };
}

/**
 * The steps of what a function returned, if it is no output: an async iterable, or the iterator of a generator. A list or a
 * map can be iterated as well, but is not one.
 *
 * @param {unknown} value
 * @returns {Steps | undefined}
 */
export function stepsOf(value) {
  if (typeof value !== 'object' || value === null) return undefined;
  const iterable = /** @type {Record<symbol, unknown> & Partial<Steps>} */ (value);
  try {
    const open = iterable[asyncIterator];
    if (typeof open === 'function') return apply(open, value, []);
    const isIterator = typeof iterable[iterator] === 'function' && typeof iterable.next === 'function';
    return isIterator ? /** @type {Steps} */ (value) : undefined;
  } catch {
    // It is judged as an output.
    return undefined;
  }
}

/**
 * Run a generator to its end. Its output is what it returns, or else what it yielded last.
 *
 * @param {Steps} steps
 * @param {Yielding} yielding
 * @returns {Promise<Output>}
 */
export async function collectYields(steps, yielding) {
  try {
    return await sealed(collect(steps, yielding));
  } finally {
    const { hand } = yielding;
    if (hand !== undefined) await sealed(hand.passed());
  }
}

/**
 * @param {Steps} steps
 * @param {Yielding} yielding
 * @returns {Promise<Output>}
 */
async function collect(steps, { outputBytes, textProperty, hand }) {
  if (typeof steps !== 'object' || steps === null)
    return noOutput('The function returned an iterator that is no object');
  // oxlint-disable-next-line typescript/unbound-method -- read once, as iteration does, and called on its iterator
  const { next } = steps;
  if (typeof next !== 'function') return noOutput('The function returned an iterator without the method `next`');
  /** @type {Output} */
  let last = noOutput('The generator neither yielded nor returned an output');
  let room = outputBytes * OUTPUTS;
  for (;;) {
    const step = await settledValue(apply(next, steps, []));
    if (typeof step !== 'object' || step === null) return noOutput('The iterator gave a step that is no object');
    const { done, value: given } = /** @type {{ done?: unknown, value?: unknown }} */ (step);
    const value = await settledValue(given);
    if (done) return value === undefined ? last : serialiseOutput(value, outputBytes);
    last = typeof value === 'string' ? withText(last, value) : serialiseOutput(value, outputBytes, 'yielded');
    if (!('bytes' in last)) return last;
    room -= lengthOf(last.bytes);
    if (room < 0)
      return { reason: 'output_too_large', message: `The generator yielded more than ${outputBytes * OUTPUTS} bytes` };
    if (hand !== undefined) await sealed(hand.pass(last.bytes));
  }

  /**
   * The output so far, with text added to it.
   *
   * @param {Output} before
   * @param {string} text
   * @returns {Output}
   */
  function withText(before, text) {
    if (textProperty === undefined) {
      return noOutput('The generator yielded text, but the output schema does not have exactly one text property');
    }
    const output = 'bytes' in before ? parseJson(decode(before.bytes)) : {};
    const written = output[textProperty];
    const value = typeof written === 'string' ? written + text : text;
    const descriptor = { __proto__: null, value, writable: true, enumerable: true, configurable: true };
    defineProperty(output, textProperty, /** @type {PropertyDescriptor} */ (descriptor));
    return serialiseOutput(output, outputBytes, 'yielded');
  }
}

/** @param {string} message @returns {Output} */
const noOutput = (message) => ({ reason: 'output_unserializable', message });

/**
 * @param {unknown} value
 * @returns {Promise<unknown>}
 */
const settledValue = (value) => sealed(new CapturedPromise((resolve) => resolve(value)));
