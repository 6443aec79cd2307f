import { setTimeout as pause } from 'node:timers/promises';
import { sqliteCode } from './sqlite-database.ts';

/** A lock is held for some ten microseconds. */
const PAUSE_MS = 1;

/** Try again while another process holds the lock, for so long. The event loop runs meanwhile. */
export async function retryWhileBusy<T>(attempt: () => T, patienceMs: number): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (sqliteCode(error)?.startsWith('SQLITE_BUSY') !== true || performance.now() >= deadline) throw error;
    }
    await pause(PAUSE_MS);
  }
}
