const deno = Deno;

/**
 * A URL for a module that is too long to be one.
 *
 * @param {Uint8Array<ArrayBuffer>} text
 */
export function urlOf(text) {
  return URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
}

/**
 * Load built-ins of Node.js before any code of an author is there: while they load, and never later, parts of them look
 * for this global.
 *
 * @param {readonly string[]} names
 */
export async function loadBuiltIns(names) {
  Object.defineProperty(globalThis, 'Deno', { value: deno, configurable: true });
  for (const name of names) await import(name);
  Reflect.deleteProperty(globalThis, 'Deno');
}
