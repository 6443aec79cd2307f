import { once } from 'node:events';
import type { ServerProcess } from '../driver/server-process.ts';

/** Preloads the probe that `longestTurn` asks. */
export const turnProbe: readonly string[] = ['--import', new URL('./turn-probe.ts', import.meta.url).href];

/**
 * Milliseconds of CPU that one turn of the event loop may take. The rule is 50 on a quiet machine, which
 * `LONGEST_TURN_MS=50` asks for. The CPU time of the same turn doubles where other processes share the cores and their
 * caches, and a full garbage collection adds to it: under load, one and the same turn took 22, 30 and 60 ms.
 */
export const longestAllowed = Number(process.env['LONGEST_TURN_MS'] ?? 100);

/** CPU time of the longest turn of a server since this was last asked, in milliseconds. */
export async function longestTurn({ process: child, errors }: ServerProcess): Promise<number> {
  const before = errors().length;
  child.kill('SIGUSR2');
  for (;;) {
    const [, text] = /longest turn: ([\d.]+) ms\n/.exec(errors().slice(before)) ?? [];
    if (text !== undefined) return Number(text);
    await once(child.stderr as NodeJS.ReadableStream, 'data');
  }
}
