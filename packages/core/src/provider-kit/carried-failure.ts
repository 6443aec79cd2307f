const carried = Symbol.for('patchbay.carried-failure');

/**
 * Wraps a failure so that it gets through an SDK. The SDKs read messages and names of what their `fetch` throws, take
 * some of it for timeouts or aborts, and then throw errors of their own without a cause. This one says nothing that
 * they could read.
 */
export function carry(failure: unknown): Error {
  return Object.defineProperty(new Error('the call failed'), carried, { value: failure });
}

/** The failure within whatever an SDK made of it; the error itself where nothing was carried. */
export function carriedFailure(error: unknown): unknown {
  let current = error;
  for (let depth = 0; depth < 5 && typeof current === 'object' && current !== null; depth += 1) {
    if (carried in current) return Reflect.get(current, carried);
    current = Reflect.get(current, 'cause');
  }
  return error;
}
