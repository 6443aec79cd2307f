// The globals of functions besides the language, the same as in environment/web.d.ts; all others of Deno are removed.
// Permissions protect the server. This list is for authors, and removes storage, workers and GPU, which need no permission.
const language = `
  Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date Promise RegExp
  Error AggregateError SuppressedError EvalError RangeError ReferenceError SyntaxError TypeError URIError globalThis
  JSON Math Intl Temporal ArrayBuffer SharedArrayBuffer Atomics DataView Uint8Array Int8Array Uint16Array Int16Array
  Uint32Array Int32Array BigUint64Array BigInt64Array Uint8ClampedArray Float16Array Float32Array Float64Array Map Set
  BigInt Iterator WeakMap WeakSet WeakRef FinalizationRegistry Proxy Reflect DisposableStack AsyncDisposableStack
  decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape eval isFinite isNaN WebAssembly
`;
const web = `
  AbortController AbortSignal Blob ByteLengthQueuingStrategy CompressionStream CountQueuingStrategy Crypto CryptoKey
  CustomEvent DecompressionStream DOMException ErrorEvent Event EventTarget File FormData Headers Performance
  PromiseRejectionEvent ReadableByteStreamController ReadableStream ReadableStreamBYOBReader ReadableStreamBYOBRequest
  ReadableStreamDefaultController ReadableStreamDefaultReader Request Response SubtleCrypto TextDecoder
  TextDecoderStream TextEncoder TextEncoderStream TransformStream TransformStreamDefaultController URL URLPattern
  URLSearchParams WritableStream WritableStreamDefaultController WritableStreamDefaultWriter atob btoa clearInterval
  clearTimeout console crypto performance queueMicrotask reportError self setInterval setTimeout structuredClone
`;

/** Remove every global that is not listed. */
export function removeGlobals() {
  // Compiling a regular expression would take longer than all the rest.
  const kept = new Set([language, web].flatMap((list) => list.split('\n').flatMap((line) => line.trim().split(' '))));
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (!kept.has(name)) Reflect.deleteProperty(globalThis, name);
  }
}
