import { createCalls } from './calls.js';
import { parseJson, stringifyJson } from './captured.js';
import { createLog } from './console.js';
import { createFetch } from './fetch.js';
import { createSecrets } from './secrets.js';

/** @typedef {{ readonly signal?: AbortSignal }} CallOptions */

/**
 * The second argument of a function.
 *
 * @param {{ executionId: string, wallMs: number, secrets: Record<string, string> }} header
 * @param {Parameters<typeof createCalls>[0]} channel
 * @param {Parameters<typeof createCalls>[1]} inbox
 */
export function createContext({ executionId, wallMs, secrets }, channel, inbox) {
  const callHost = createCalls(channel, inbox);
  const startedAt = performance.now();
  /** @type {AbortSignal | undefined} */
  let signal;

  /**
   * @param {string} name
   * @param {unknown} given
   * @param {CallOptions} [options]
   */
  async function call(name, given, options) {
    const json = stringifyJson(given) ?? 'null';
    return parseJson(await callHost(name, json, options?.signal));
  }

  /** @param {string} name */
  const model = (name) => (/** @type {unknown} */ request, /** @type {CallOptions} */ options) =>
    call(`ai.${name}`, request, options);

  /** @param {string} name @param {unknown} [input] @param {CallOptions} [options] */
  const callFunction = (name, input = {}, options) => call('functions.call', { function: name, input }, options);

  return {
    executionId,
    log: createLog(),
    ai: { generate: model('generate'), chat: model('chat'), embed: model('embed'), call: model('call') },
    functions: named((name) =>
      name === 'call'
        ? callFunction
        : (/** @type {unknown} */ input, /** @type {CallOptions} */ options) => callFunction(name, input, options),
    ),
    tools: named((server) =>
      named(
        (tool) =>
          (/** @type {unknown} */ input = {}, /** @type {CallOptions} */ options) =>
            call('tools.call', { server, tool, input }, options),
      ),
    ),
    fetch: createFetch(callHost),
    secrets: createSecrets(secrets),
    /** Made when it is asked for: its timer keeps a run alive that would otherwise be found to wait for nothing. */
    get signal() {
      signal ??= abortBefore(wallMs - (performance.now() - startedAt));
      return signal;
    },
  };
}

/**
 * An object with a member for every name.
 *
 * @param {(name: string) => unknown} member
 */
function named(member) {
  return new Proxy(
    {},
    {
      // `await` asks an object for `then`, and means no member of that name.
      get: (_, name) => (typeof name !== 'string' || name === 'then' ? undefined : member(name)),
    },
  );
}

/**
 * A signal that leaves code a last moment before it is killed: a tenth of its time, a quarter of a second at most.
 *
 * @param {number} ms
 */
function abortBefore(ms) {
  const controller = new AbortController();
  const reason = new DOMException('The execution is about to reach its time limit', 'TimeoutError');
  setTimeout(() => controller.abort(reason), ms - Math.min(250, ms / 10));
  return controller.signal;
}
