import { closeSync, openSync } from 'node:fs';
import { PatchbayError } from '@patchbay/core/plugin';
import type { ConfigReloader } from './config-reloader.ts';
import type { ServerLogger } from './logger.ts';

/** Anything that a signal may stop. */
export interface Stoppable {
  close(): Promise<void>;
}

/**
 * A terminal sends Ctrl-C to every process of a group, and some of them pass it on: a repeat within this time is the
 * same signal.
 */
const SAME_SIGNAL_MS = 1_000;

/**
 * Start something, and stop it gracefully at the first SIGINT or SIGTERM; end at the second without waiting
 * for anything. A signal during the start cancels the start.
 *
 * @throws what `start` throws, unless it was cancelled.
 */
export async function stopOnSignals<S extends Stoppable>(
  start: (signal: AbortSignal) => Promise<S>,
  logger: ServerLogger,
): Promise<S> {
  const starting = new AbortController();
  let started: Stoppable | undefined;
  let stoppingSince: number | undefined;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stoppingSince === undefined) {
        stoppingSince = performance.now();
        logger.info('stopping', { signal });
        starting.abort(new PatchbayError('shutting_down', 'the process was stopped while it was starting'));
        if (started !== undefined) void stop(started, logger);
      } else if (performance.now() - stoppingSince > SAME_SIGNAL_MS) {
        logger.warn('stopping immediately', { signal });
        end(1, logger);
      }
    });
  }
  try {
    const running = await start(starting.signal);
    started = running;
    if (starting.signal.aborted) await stop(running, logger);
    return running;
  } catch (error) {
    if (error !== starting.signal.reason) throw error;
    logger.info('stopped');
    return end(0, logger);
  }
}

async function stop(running: Stoppable, logger: ServerLogger): Promise<never> {
  try {
    await running.close();
    logger.info('stopped');
    return end(0, logger);
  } catch (error) {
    logger.error('stopped, but not cleanly', { error });
    return end(1, logger);
  }
}

/** End the process at an error that nothing handles: its state is unknown. */
export function endOnUnforeseen(logger: ServerLogger): void {
  process.on('uncaughtException', (error, origin) => {
    logger.error('the process failed and exits', { error, origin });
    end(1, logger);
  });
}

function end(code: number, logger: ServerLogger): never {
  logger.flush();
  process.exit(code);
}

/**
 * Reload at every SIGHUP from now on. One that arrives too early is not lost, and ends nothing.
 *
 * @returns a function that takes what to reload.
 */
export function reloadOnHangup(): (reloader: ConfigReloader) => void {
  const startedAtTerminal = hasTerminal();
  let target: ConfigReloader | undefined;
  let isWanted = false;
  process.on('SIGHUP', () => {
    // The terminal was closed: that is not a request to reload, and the server is expected to end.
    if (startedAtTerminal && !hasTerminal()) process.kill(process.pid, 'SIGTERM');
    else if (target === undefined) isWanted = true;
    else void target.reload();
  });
  return (reloader) => {
    target = reloader;
    if (isWanted) void reloader.reload();
  };
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
