// Runs in Deno, as the main module of every execution. Deno takes this folder as it is: translating TypeScript without
// a cache would cost each start 150 ms. Everything here happens before the author's code is loaded, or through what
// captured.js kept.

import { loadBuiltIns, urlOf } from './bundle.js';
import { CapturedError, CapturedPromise, decode, encode, parseJson, sealed, stringifyJson } from './captured.js';
import { openChannel } from './channel.js';
import { installConsole, markFlushed } from './console.js';
import { createContext } from './context.js';
import { FAILURE, INPUT, LOAD, LOADED, MODULE, PRIME, QUIET_RESULT, READY, RESULT, RUN } from './frames.js';
import { removeGlobals } from './globals.js';
import { createInbox } from './inbox.js';
import { lockBuiltIns } from './lock-built-ins.js';
import { serialiseOutput } from './output.js';
import { describeThrown } from './thrown.js';
import { collectYields, createHand, stepsOf } from './yields.js';

const EMPTY = new Uint8Array(0);
const channel = await openChannel(/** @type {string} */ (Deno.args[0]));

/** @type {((input: unknown, context: object) => unknown) | undefined} */
let entry;
let settled = true;
let keep = false;
let clean = true;
let isPrimed = false;
/** The host has the result of the only run of this process. */
let isOver = false;

/**
 * @param {number} type
 * @param {Uint8Array} payload
 */
function settle(type, payload) {
  if (settled) {
    // Something of a run that is over still happens.
    clean = false;
    return;
  }
  settled = true;
  const isMarked = markFlushed({ evenNothing: type !== RESULT });
  void sendLast(isMarked ? type : QUIET_RESULT, payload);
}

/**
 * @param {number} type
 * @param {Uint8Array} payload
 */
async function sendLast(type, payload) {
  await sealed(channel.send(type, payload));
  isOver = !keep;
}

/** @param {{ reason: string, name?: string, message: string, stack?: string }} failure */
function fail({ reason, name = '', message, stack = '' }) {
  clean = false;
  const report = { __proto__: null, reason, name, message, stack };
  settle(FAILURE, encode(/** @type {string} */ (stringifyJson(report))));
}

/** @param {unknown} thrown */
function failThrown(thrown) {
  const { name, message, stack } = describeThrown(thrown);
  fail({ reason: entry === undefined ? 'load_failed' : 'function_threw', name, message, stack });
}

/**
 * Expect a frame of a type.
 *
 * @param {number} expected
 */
async function receive(expected) {
  const { type, payload } = await sealed(channel.receive());
  if (type !== expected) throw new CapturedError('a frame out of turn');
  return payload;
}

/** @param {string} url */
async function load(url) {
  const { default: exported } = await sealed(import(url));
  if (typeof exported === 'function') entry = exported;
  else fail({ reason: 'load_failed', message: 'The default export is not a function' });
}

/** Read what a run is about. */
async function receiveRun() {
  const header = parseJson(decode(await sealed(receive(RUN))));
  const input = parseJson(decode(await sealed(receive(INPUT))));
  keep = header.keep === true;
  settled = false;
  const { outputBytes, textProperty } = header;
  const inbox = createInbox(channel);
  const hand = header.isWatched === true ? createHand(channel, inbox) : undefined;
  return { input, context: createContext(header, channel, inbox), yielding: { outputBytes, textProperty, hand } };
}

/**
 * @param {NonNullable<typeof entry>} call
 * @param {{ input: unknown, context: object, yielding: import('./yields.js').Yielding }} run
 */
async function perform(call, { input, context, yielding }) {
  const value = await sealed(
    new CapturedPromise((resolve) => {
      resolve(call(input, context));
    }),
  );
  const steps = stepsOf(value);
  const output =
    steps === undefined ? serialiseOutput(value, yielding.outputBytes) : await sealed(collectYields(steps, yielding));
  if ('bytes' in output) settle(RESULT, output.bytes);
  else fail(output);
}

/** The first run, or the module of a later one. */
async function serveFirst() {
  const first = await sealed(channel.receive());
  const moduleUrl = first.type === MODULE ? urlOf(first.payload) : undefined;
  const { type, payload } = moduleUrl === undefined ? first : await sealed(channel.receive());
  if (type !== LOAD && type !== PRIME) throw new CapturedError('a frame out of turn');
  if (moduleUrl !== undefined) await sealed(loadBuiltIns(parseJson(decode(payload))));
  const url = moduleUrl ?? decode(payload);
  if (type === PRIME) {
    settled = false;
    await sealed(load(url));
    settled = true;
    isPrimed = entry !== undefined;
    return;
  }
  const run = await sealed(receiveRun());
  await sealed(load(url));
  if (entry === undefined) return;
  channel.hold(LOADED);
  await sealed(perform(entry, run));
}

/** A run of what is loaded. */
async function serve() {
  const run = await sealed(receiveRun());
  await sealed(perform(/** @type {NonNullable<typeof entry>} */ (entry), run));
}

/** Rehearse a run: what is done for the first time takes long, and here no run waits for it. */
async function rehearse() {
  await load('data:text/javascript,export default ({ a }, { log }) => ({ a, log: typeof log })');
  const context = createContext({ executionId: '', wallMs: 1000, secrets: {} }, channel, createInbox(channel));
  const yielding = { outputBytes: 1000, textProperty: undefined, hand: undefined };
  const run = { input: parseJson(decode(encode('{"a":["b"]}'))), context, yielding };
  await perform(/** @type {NonNullable<typeof entry>} */ (entry), run);
  describeThrown(new CapturedError('none'));
  entry = undefined;
}

await rehearse();
clean = true;
for (const name of ['net', 'read', 'write']) Deno.permissions.revokeSync({ name });
installConsole();
addEventListener('error', (event) => {
  event.preventDefault();
  failThrown(event.error);
});
addEventListener('unhandledrejection', (event) => {
  event.preventDefault();
  failThrown(event.reason);
});
// Nothing is pending any longer. Or code claims so: Deno marks no event as its own that code could not mark as well.
// All it gains is that the host suspends the process, with whatever it has begun, until its next run.
addEventListener('beforeunload', (event) => {
  if (!settled) {
    event.preventDefault();
    fail({ reason: 'never_settled', message: 'The function returned a promise that nothing can settle any more' });
  } else if (isPrimed && clean) {
    // Not earlier: what goes on at the top level of a module would take CPU while no run is there to count it.
    isPrimed = false;
    event.preventDefault();
    void channel.send(LOADED, EMPTY);
    sealed(serve()).then(undefined, failThrown);
  } else if (keep && clean) {
    event.preventDefault();
    void channel.send(READY, EMPTY);
    sealed(serve()).then(undefined, failThrown);
  } else if (isOver) {
    // Wait for the host to kill the process. Exiting would take a core just when the caller waits for the response.
    isOver = false;
    event.preventDefault();
    void channel.receive();
  }
});
lockBuiltIns();
removeGlobals();
await channel.send(READY, EMPTY);

// Not awaited: a main module that is still being evaluated when the event loop runs dry is an error without an event.
sealed(serveFirst()).then(undefined, failThrown);
