/** Resolves after some time, or when one of the signals aborts. Keeps no process alive. */
export function pause(ms: number, ...signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    if (signals.some(({ aborted }) => aborted)) {
      resolve();
      return;
    }
    const done = (): void => {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms).unref();
    for (const signal of signals) signal.addEventListener('abort', done, { once: true });
  });
}
