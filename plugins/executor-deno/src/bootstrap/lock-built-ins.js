const { defineProperty, getOwnPropertyDescriptor } = Object;

/**
 * Lock the few built-ins that Deno itself goes through for each byte on the connection: code that replaced them would get
 * the connection's own functions and memory. Assigning to an object that inherits one of them still works, as everywhere.
 */
export function lockBuiltIns() {
  const arrays = Object.getPrototypeOf(Uint8Array.prototype);
  for (const name of ['buffer', 'byteLength', 'byteOffset', 'length']) {
    defineProperty(arrays, name, { configurable: false });
  }
  for (const name of ['apply', 'bind', 'call']) lockMethod(Function.prototype, name);
}

/**
 * @param {object} prototype
 * @param {string} name
 */
function lockMethod(prototype, name) {
  const method = getOwnPropertyDescriptor(prototype, name)?.value;
  defineProperty(prototype, name, {
    get: () => method,
    /** @this {object} */
    set(value) {
      if (this === prototype) throw new TypeError(`Function.prototype.${name} cannot be replaced here`);
      const own = { __proto__: null, value, writable: true, enumerable: true, configurable: true };
      defineProperty(this, name, /** @type {PropertyDescriptor} */ (own));
    },
    enumerable: false,
    configurable: false,
  });
}
