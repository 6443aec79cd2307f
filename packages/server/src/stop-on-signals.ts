import type { ServerLogger } from './logger.ts';

/**
 * A terminal sends Ctrl-C to every process of a group, and some of them pass it on: what comes within this time is the
 * same signal.
 */
const SAME_SIGNAL_MS = 1_000;

/** Stop at the first SIGINT or SIGTERM with everything in order; end at the second without waiting for anything. */
export function stopOnSignals(server: { close(): Promise<void> }, logger: ServerLogger): void {
  let stoppingSince: number | undefined;
  const stop = async (): Promise<number> => {
    try {
      await server.close();
      logger.info('stopped');
      return 0;
    } catch (error) {
      logger.error('stopped, but not cleanly', { error });
      return 1;
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stoppingSince === undefined) {
        stoppingSince = performance.now();
        logger.info('stopping', { signal });
        void stop().then((code) => end(code, logger));
      } else if (performance.now() - stoppingSince > SAME_SIGNAL_MS) {
        logger.warn('stopping at once', { signal });
        end(1, logger);
      }
    });
  }
}

/** What is broken in ways that nobody foresaw must not go on serving. */
export function endOnUnforeseen(logger: ServerLogger): void {
  process.on('uncaughtException', (error, origin) => {
    logger.error('the process failed and ends', { error, origin });
    end(1, logger);
  });
}

function end(code: number, logger: ServerLogger): never {
  logger.flush();
  process.exit(code);
}
