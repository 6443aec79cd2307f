import { apply, inspect, slice, toText } from './captured.js';

// Longer than what the host keeps, so that the host's cut is the one that counts.
const MESSAGE_CHARACTERS = 4096;
const STACK_CHARACTERS = 32_768;

/**
 * @param {() => unknown} read
 * @param {number} length
 */
function textOf(read, length) {
  try {
    const value = read();
    return typeof value === 'string' ? apply(slice, value, [0, length]) : '';
  } catch {
    return '';
  }
}

/**
 * A thrown value as text. Anything can be thrown, and every property of it can be a trap.
 *
 * @param {unknown} thrown
 * @returns {{ name: string, message: string, stack: string }}
 */
export function describeThrown(thrown) {
  if ((typeof thrown !== 'object' && typeof thrown !== 'function') || thrown === null) {
    return { name: '', message: textOf(() => toText(thrown), MESSAGE_CHARACTERS), stack: '' };
  }
  const error = /** @type {Partial<Error>} */ (thrown);
  const name = textOf(() => error.name, 100);
  const message = textOf(() => error.message, MESSAGE_CHARACTERS);
  const stack = textOf(() => error.stack, STACK_CHARACTERS);
  if (message !== '' || stack !== '') return { name, message, stack };
  return { name: '', message: textOf(() => inspect(thrown, { depth: 2 }), MESSAGE_CHARACTERS), stack: '' };
}
