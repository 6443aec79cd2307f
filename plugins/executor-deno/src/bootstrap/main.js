// Runs in Deno, as the main module of every execution. Deno takes this folder as it is: translating TypeScript without
// a cache would cost each start 150 ms. Everything here happens before the author's code is loaded, or through what
// captured.js kept.
import { CapturedPromise, decode, encode, parseJson, sealed, stringifyJson } from './captured.js';
import { openChannel } from './channel.js';
import { createLog, installConsole, markFlushed } from './console.js';
import { FAILURE, INPUT, LOAD, LOADED, READY, RESULT, RUN } from './frames.js';
import { removeGlobals } from './globals.js';
import { serialiseOutput } from './output.js';
import { describeThrown } from './thrown.js';

const EMPTY = new Uint8Array(0);
const channel = await openChannel(/** @type {string} */ (Deno.args[0]));
// The first import of a data: URL starts machinery that the author's code would otherwise pay for.
await import('data:text/javascript,');
for (const name of ['net', 'read', 'write']) Deno.permissions.revokeSync({ name });
installConsole();
const listen = addEventListener.bind(globalThis);
removeGlobals();
await channel.send(READY, EMPTY);

const url = decode(await channel.receive(LOAD));
const { executionId, outputBytes } = JSON.parse(decode(await channel.receive(RUN)));
const input = parseJson(decode(await channel.receive(INPUT)));
const context = { executionId, log: createLog() };
let loaded = false;
let settled = false;

/**
 * @param {number} type
 * @param {Uint8Array} payload
 */
function settle(type, payload) {
  if (settled) return;
  settled = true;
  markFlushed();
  void channel.send(type, payload);
}

/** @param {{ reason: string, name?: string, message: string, stack?: string }} failure */
function fail({ reason, name = '', message, stack = '' }) {
  const report = { __proto__: null, reason, name, message, stack };
  settle(FAILURE, encode(/** @type {string} */ (stringifyJson(report))));
}

/** @param {unknown} thrown */
function failThrown(thrown) {
  const { name, message, stack } = describeThrown(thrown);
  fail({ reason: loaded ? 'function_threw' : 'load_failed', name, message, stack });
}

listen('error', (event) => {
  event.preventDefault();
  failThrown(event.error);
});
listen('unhandledrejection', (event) => {
  event.preventDefault();
  failThrown(event.reason);
});
// Nothing is pending any more, and nothing was returned.
listen('beforeunload', (event) => {
  if (settled) return;
  event.preventDefault();
  fail({ reason: 'never_settled', message: 'The function returned a promise that nothing can settle any more' });
});

async function run() {
  const { default: entry } = await sealed(import(url));
  if (typeof entry !== 'function') {
    fail({ reason: 'load_failed', message: 'The default export is not a function' });
    return;
  }
  loaded = true;
  void channel.send(LOADED, EMPTY);
  const value = await sealed(
    new CapturedPromise((resolve) => {
      resolve(entry(input, context));
    }),
  );
  const output = serialiseOutput(value, outputBytes);
  if ('bytes' in output) settle(RESULT, output.bytes);
  else fail(output);
}

// Not awaited: a main module that is still being evaluated when the event loop runs dry is an error without an event.
sealed(run()).then(undefined, failThrown);
