/** Editors write a file in several steps, and many files at once: this long, nothing more has to come. */
const QUIET_MS = 50;

/** Does something again and again, each time once all has become quiet, and never twice at the same time. */
export interface Settler {
  wake(): void;
  /** Nothing begins any more. Resolves once nothing is under way. */
  close(): Promise<void>;
}

/** @param onError Told when the work fails; it is done again when it is woken again. */
export function createSettler(work: () => Promise<void>, onError: (error: unknown) => void): Settler {
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let isWanted = false;
  let running: Promise<void> | undefined;

  const run = async (): Promise<void> => {
    isWanted = false;
    try {
      await work();
    } catch (error) {
      onError(error);
    }
    running = undefined;
    if (isWanted && !isClosed) later();
  };
  const later = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = undefined;
      running ??= run();
    }, QUIET_MS);
  };
  return {
    wake() {
      if (isClosed) return;
      isWanted = true;
      later();
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      timer = undefined;
      await running;
    },
  };
}
