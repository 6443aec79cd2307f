/* oxlint-disable typescript/unbound-method -- taken off their objects on purpose, and used through `apply` */
// Everything of the language that the bootstrap uses once the author's code is loaded, taken before that code can
// replace it. What is reached by syntax (calls, `await`, literals, `typeof`) needs no capture; methods, iteration and
// spreading do.

export const { apply, defineProperty } = Reflect;
export const { stringify: stringifyJson, parse: parseJson } = JSON;
export const { isArray } = Array;
export const { max } = Math;
export const { isFinite: isFiniteNumber } = Number;
export const CapturedPromise = Promise;
export const CapturedBuffer = ArrayBuffer;
export const CapturedBytes = Uint8Array;
export const CapturedView = DataView;
export const CapturedError = Error;
export const toText = String;
export const setBytes = Uint8Array.prototype.set;
export const getUint8 = DataView.prototype.getUint8;
export const getUint32 = DataView.prototype.getUint32;
export const setUint32 = DataView.prototype.setUint32;
export const slice = String.prototype.slice;

const encoder = new TextEncoder();
export const encode = encoder.encode.bind(encoder);
const decoder = new TextDecoder();
export const decode = decoder.decode.bind(decoder);

export const inspect = Deno.inspect;
export const writeStdout = Deno.stdout.writeSync.bind(Deno.stdout);
export const writeStderr = Deno.stderr.writeSync.bind(Deno.stderr);
export const exit = Deno.exit;
export const startTimer = setTimeout;

/**
 * Make `await promise` independent of what the author's code did to `Promise.prototype`: awaiting a promise whose
 * `constructor` is the intrinsic one looks nothing else up.
 *
 * @template T
 * @param {Promise<T>} promise
 * @returns {Promise<T>}
 */
export function sealed(promise) {
  defineProperty(
    promise,
    'constructor',
    /** @type {PropertyDescriptor} */ ({ __proto__: null, value: CapturedPromise }),
  );
  return promise;
}
