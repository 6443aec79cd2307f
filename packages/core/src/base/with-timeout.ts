/**
 * What `work` settles to, or a rejection after `timeoutMs`. The timer keeps the process alive: with one that does not,
 * as in `AbortSignal.timeout`, a plugin that hangs at start lets the process exit without a word.
 */
export async function withTimeout<T>(work: Promise<T>, timeoutMs: number, onTimeout?: () => void): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new Error(`no answer within ${timeoutMs} ms`));
    onTimeout?.();
  }, timeoutMs);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
