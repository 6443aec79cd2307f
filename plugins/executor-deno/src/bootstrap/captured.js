/* oxlint-disable typescript/unbound-method -- taken off their objects on purpose, and used through `apply` */
// Everything of the language that the bootstrap uses once the author's code is loaded, taken before that code can
// replace it. What is reached by syntax (calls, `await`, literals, `typeof`) needs no capture; methods, iteration and
// spreading do.

export const { apply, defineProperty } = Reflect;
export const { getPrototypeOf } = Reflect;
export const ObjectPrototype = Object.prototype;
export const { stringify: stringifyJson, parse: parseJson } = JSON;
export const { isRawJSON } = /** @type {{ isRawJSON(value: unknown): value is { rawJSON: string } }} */ (
  /** @type {unknown} */ (JSON)
);
export const { isArray } = Array;
export const { max } = Math;
export const { isFinite: isFiniteNumber } = Number;
export const CapturedPromise = Promise;
export const { asyncIterator, iterator } = Symbol;
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

const arrays = Object.getPrototypeOf(Uint8Array.prototype);
const readBuffer = /** @type {() => ArrayBuffer} */ (Object.getOwnPropertyDescriptor(arrays, 'buffer')?.get);
const readOffset = /** @type {() => number} */ (Object.getOwnPropertyDescriptor(arrays, 'byteOffset')?.get);
const readLength = /** @type {() => number} */ (Object.getOwnPropertyDescriptor(arrays, 'length')?.get);

/**
 * The value of `bytes.length`, a getter, which can be replaced.
 *
 * @param {Uint8Array} bytes
 */
export const lengthOf = (bytes) => apply(readLength, bytes, []);

/**
 * The number that stands in four bytes, big end first.
 *
 * @param {Uint8Array} bytes
 */
export const readNumber = (bytes) =>
  apply(getUint32, new CapturedView(apply(readBuffer, bytes, []), apply(readOffset, bytes, [])), [0]);

/**
 * Bytes without their first ones, which stay where they are.
 *
 * @param {Uint8Array} bytes
 * @param {number} count
 */
export const without = (bytes, count) =>
  new CapturedBytes(apply(readBuffer, bytes, []), apply(readOffset, bytes, []) + count, lengthOf(bytes) - count);

const encoder = new TextEncoder();
export const encode = encoder.encode.bind(encoder);
const decoder = new TextDecoder();
export const decode = decoder.decode.bind(decoder);

export const inspect = Deno.inspect;
export const writeStdout = Deno.stdout.writeSync.bind(Deno.stdout);
export const writeStderr = Deno.stderr.writeSync.bind(Deno.stderr);
export const exit = Deno.exit;

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
