import assert from 'node:assert/strict';

/**
 * Assert that the call rejects. The failure names the input, instead of just "Missing expected rejection".
 *
 * @param input Continues the sentence `it has to refuse …`.
 */
export async function assertRefuses(
  input: string,
  call: () => Promise<unknown>,
  error: new () => Error = Error,
): Promise<void> {
  // A call may throw before it returns a promise.
  const outcome = await Promise.resolve()
    .then(call)
    .then(
      () => 'it resolved',
      (reason: unknown) => (reason instanceof error ? undefined : `it rejected with ${String(reason)}`),
    );
  assert.ok(outcome === undefined, `it has to refuse ${input}, with a ${error.name}: ${outcome}`);
}
