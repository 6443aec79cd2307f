import type { Logger } from '../context.ts';
import { RecurringFailure } from './recurring-failure.ts';

export interface Chore {
  readonly name: string;
  readonly everyMs: number;
  readonly run: () => Promise<unknown>;
}

/** Run periodic tasks while the app runs, never the same one concurrently. They do not keep the process alive. */
export function startHousekeeping(chores: readonly Chore[], logger: Logger): { stop(): Promise<void> } {
  const running = new Set<Promise<void>>();

  const start = ({ name, everyMs, run }: Chore): NodeJS.Timeout => {
    let busy = false;
    const failure = new RecurringFailure({
      logger,
      failing: `${name} failed; it is retried`,
      over: `${name} works again`,
    });
    const tick = async (): Promise<void> => {
      try {
        await run();
        failure.succeeded();
      } catch (error) {
        failure.failed(error);
      }
    };
    const timer = setInterval(() => {
      if (busy) return;
      busy = true;
      const done = tick().finally(() => {
        busy = false;
        running.delete(done);
      });
      running.add(done);
    }, everyMs);
    return timer.unref();
  };

  const timers = chores.map(start);
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(running);
    },
  };
}
