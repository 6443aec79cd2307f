import { setTimeout as delay } from 'node:timers/promises';
import type { RoundRobin } from './round-robin.ts';

/** Send requests only to those that said at the last look that they are ready, as load balancers do. */
export function watchReadiness(door: RoundRobin, urls: () => readonly string[], everyMs: number): { stop(): void } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const isReady = async (url: string): Promise<boolean> => {
    try {
      return (await fetch(`${url}/readyz`)).status === 200;
    } catch {
      return false;
    }
  };
  const watch = async (): Promise<void> => {
    while (!signal.aborted) {
      const all = urls();
      const answers = await Promise.all(all.map(isReady));
      const ready = all.filter((_, index) => answers[index]);
      // With none left, a balancer goes on with those it knew.
      if (ready.length > 0) door.use(ready);
      await delay(everyMs, undefined, { signal }).catch(() => undefined);
    }
  };
  void watch();
  return { stop: () => stopping.abort() };
}
