import assert from 'node:assert/strict';

/**
 * The call rejects. What it was called with stands in the failure, which otherwise says "Missing expected rejection" only.
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
