/** Shorter than the timeouts that tests give a provider, so that a call that is not cancelled can be distinguished from a slow one. */
const DEADLINE_MS = 15_000;

/** A test that would wait forever fails, and says what the provider most likely left out. */
export async function beforeDeadline(test: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const hint = 'Does every call pass its `signal` on, and does `createFetch` of the transport get the `timeouts`?';
  const timer = setTimeout(() => reject(new Error(`nothing has ended the call within 15 s. ${hint}`)), DEADLINE_MS);
  try {
    await Promise.race([test, promise]);
  } finally {
    clearTimeout(timer);
  }
}
