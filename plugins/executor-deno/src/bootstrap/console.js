import { apply, encode, getPrototypeOf, ObjectPrototype, stringifyJson, writeStderr, writeStdout } from './captured.js';

// An entry on stdout is a start mark, its level, the text, an end mark; the host takes anything outside of entries for
// plain lines. Stdout is written synchronously, so that the last words before an endless loop arrive. The marks contain a
// random text, so that no text that code logs is one by chance. It is short, since each entry has it twice, and need not be a
// secret, for which `crypto` would have to be loaded: code that finds it out can move its own lines only.
const NONCE = Math.random().toString(36).slice(2, 10);
const END_MARK = `\u001f${NONCE}`;
const START_MARK = `\u001e${NONCE}`;
const END = encode(END_MARK);
const START = {
  debug: encode(`${START_MARK}D`),
  info: encode(`${START_MARK}I`),
  warn: encode(`${START_MARK}W`),
  error: encode(`${START_MARK}E`),
};
// Between the text and the fields of an entry that has some.
const FIELDS = '\u001d';
const FLUSHED = encode(`${START_MARK}F${END_MARK}`);
const YIELDED = `${START_MARK}Y`;

/** @typedef {keyof typeof START} Level */
/** @typedef {(...values: unknown[]) => void} Print */

const INFO = /** @type {const} */ ([
  'log',
  'info',
  'group',
  'groupCollapsed',
  'dir',
  'dirxml',
  'table',
  'count',
  'countReset',
  'time',
  'timeLog',
  'timeEnd',
]);

let hasWritten = false;
// Outputs that the generator of this run has yielded, how many of them the last mark counts, and whether no entry came since.
let yielded = 0;
let told = 0;
let isTold = true;

const native = /** @type {Readonly<Record<(typeof INFO)[number], Print>>} */ (/** @type {unknown} */ ({ ...console }));

/**
 * @param {Level} level
 * @param {Print} print Writes to stdout.
 * @returns {Print}
 */
function entry(level, print) {
  return (...values) => {
    begin(level);
    try {
      apply(print, undefined, values);
    } finally {
      writeStdout(END);
    }
  };
}

/** @param {Level} level */
function begin(level) {
  if (told !== yielded) tellYielded();
  hasWritten = true;
  isTold = false;
  writeStdout(START[level]);
}

/** Mark the place on stdout between what was written before an output and after it. */
function tellYielded() {
  told = yielded;
  isTold = true;
  writeStdout(encode(`${YIELDED}${told}${END_MARK}`));
}

/**
 * An output is about to be sent to the host, on another connection: the order of the two is lost, unless it is marked. Where
 * nothing was written there is no mark, and no cost.
 *
 * @returns {boolean} Whether the host must read on up to a mark before it hands the output on.
 */
export function markYielded() {
  yielded++;
  if (isTold) return false;
  tellYielded();
  return true;
}

/** Give every entry of the console a level, and send all of them down one stream, so that their order is kept. */
export function installConsole() {
  // Nothing else is on the stream yet.
  writeStdout(encode(`\u001eN${NONCE}\u001f`));
  const error = entry('error', native.log);
  for (const name of INFO) Object.assign(console, { [name]: entry('info', native[name]) });
  Object.assign(console, {
    debug: entry('debug', native.log),
    warn: entry('warn', native.log),
    error,
    trace: error,
    /** @type {(condition?: unknown, ...values: unknown[]) => void} */
    assert: (condition, ...values) => {
      if (!condition) apply(error, undefined, ['Assertion failed', ...values]);
    },
  });
}

/**
 * A text and an object are a message and its fields; anything else is written as the console writes it.
 *
 * @param {Level} level
 * @returns {Print}
 */
function logEntry(level) {
  const plain = entry(level, native.log);
  return (...values) => {
    const message = values[0];
    const fields = values.length === 2 ? fieldsText(values[1]) : undefined;
    if (fields === undefined || typeof message !== 'string') {
      apply(plain, undefined, values);
      return;
    }
    begin(level);
    writeStdout(encode(message + FIELDS + fields));
    writeStdout(END);
  };
}

/** @param {unknown} value */
function fieldsText(value) {
  if (typeof value !== 'object' || value === null) return undefined;
  const prototype = getPrototypeOf(value);
  if (prototype !== null && prototype !== ObjectPrototype) return undefined;
  try {
    return stringifyJson(value);
  } catch {
    return undefined;
  }
}

/** The `context.log` of a function: the console, under names that say the level, and with fields. */
export function createLog() {
  return { debug: logEntry('debug'), info: logEntry('info'), warn: logEntry('warn'), error: logEntry('error') };
}

/**
 * Tell the host, on both streams, that whatever the code wrote so far is through.
 *
 * @param {{ readonly evenNothing: boolean }} options Whether to do so without any output.
 * @returns {boolean} Whether it was reported.
 */
export function markFlushed({ evenNothing }) {
  yielded = 0;
  told = 0;
  isTold = true;
  if (!hasWritten && !evenNothing) return false;
  hasWritten = false;
  writeStdout(FLUSHED);
  writeStderr(FLUSHED);
  return true;
}
