import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../fleet.ts';

const LOOK_MS = 1_000;
const statement = `SELECT COALESCE(MAX(EXTRACT(EPOCH FROM now() - created_at)), 0) AS seconds
  FROM executions WHERE status IN ('queued', 'running')`;

/** The age of the oldest execution that waits or runs, in seconds. */
export async function oldestOpen(database: Database): Promise<number> {
  return Number((await database.query(statement))[0]?.['seconds']);
}

/** The greatest age that an execution has reached without an end, while it is looked at. */
export async function watchAges(database: Database, signal: AbortSignal): Promise<number> {
  let greatest = 0;
  while (!signal.aborted) {
    // Not observable while the database is unavailable.
    greatest = Math.max(greatest, await oldestOpen(database).catch(() => 0));
    await delay(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
  return greatest;
}
