import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type Health, type Logger, type RateLimiter, rateDecision } from '@patchbay/core/plugin';
import { Pool } from 'pg';
import { readTaken, type Take, type Taken, TakeQueue, takeParameters } from './take-queue.ts';

export interface PostgresRateLimiterOptions {
  readonly url: string;
  readonly poolSize: number;
  /** Milliseconds that a response may take. */
  readonly timeoutMs: number;
  readonly logger: Logger;
  /** Milliseconds between two sweeps. Default: a minute. */
  readonly sweepMs?: number;
  /** Milliseconds, in place of the clock of the database, which all servers share. */
  readonly now?: () => number;
}

/** Whether table and function exist, by the names that `to_regclass` and `to_regprocedure` take. */
const presentStatement = `SELECT to_regclass('patchbay_limits') IS NOT NULL
  AND to_regprocedure(
    'patchbay_take_1(text[], float8[], int[], boolean[], int[], float8[], float8[], float8)'
  ) IS NOT NULL AS present`;

const takeStatement = 'SELECT patchbay_take_1($1, $2, $3, $4, $5, $6, $7, $8) AS answer';

/** Forget buckets that are full again and not in use. */
const sweepStatement = `DELETE FROM patchbay_limits WHERE key IN (
  SELECT key FROM patchbay_limits WHERE full_at < extract(epoch FROM clock_timestamp()) * 1000
  LIMIT 10000 FOR UPDATE SKIP LOCKED)`;

/** How long a start waits for the database. */
const START_MS = 2_000;

const SWEEP_MS = 60_000;

/** How long one sweep may take: a connection that it never gave back would keep the limiter from stopping. */
const SWEEP_TIMEOUT_MS = 5_000;

/** Counts in a table, together with all servers that use the database: one statement for a call, or for many. */
export function createPostgresRateLimiter(options: PostgresRateLimiterOptions): RateLimiter {
  const { url, poolSize, timeoutMs, logger, sweepMs = SWEEP_MS, now } = options;
  const pool = new Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: timeoutMs * 10,
    application_name: 'patchbay-limits',
    keepAlive: true,
    allowExitOnIdle: true,
  });
  // The error of an idle connection: the next call opens another, and reports it if it cannot.
  pool.on('error', () => {});
  let prepared: Promise<void> | undefined;
  let sweeping: NodeJS.Timeout | undefined;

  const prepare = (): Promise<void> => {
    prepared ??= prepareSchema(pool).catch((error: unknown) => {
      prepared = undefined;
      throw error;
    });
    return prepared;
  };

  const send = async (takes: readonly Take[]): Promise<readonly Taken[]> => {
    await prepare();
    const query = {
      name: 'patchbay_take_1',
      text: takeStatement,
      query_timeout: timeoutMs,
      values: takeParameters(takes, now?.()),
    };
    try {
      const { rows } = await pool.query<{ answer: readonly number[] | null }>(query);
      return readTaken(takes, rows[0]?.answer ?? []);
    } catch (error) {
      // The table was removed, or a database without one was restored.
      if (isMissing(error)) prepared = undefined;
      throw error;
    }
  };
  const queue = new TakeQueue({ timeoutMs, width: poolSize, send });

  const sweep = (): void => {
    const query = { text: sweepStatement, query_timeout: SWEEP_TIMEOUT_MS };
    pool.query(query).catch((error: unknown) => {
      logger.warn('unused limits cannot be deleted', { error });
    });
  };

  return {
    async start(signal) {
      sweeping = setInterval(sweep, sweepMs).unref();
      const patience = pause(START_MS, 'no answer', { signal, ref: false });
      const failure = await Promise.race([prepare(), patience]).catch((error: unknown) => error);
      // No reason not to start: until it is available, each process enforces the limits by itself.
      if (failure !== undefined) {
        logger.warn('the limiter database does not respond; it is retried', { error: failure });
      }
    },

    async stop() {
      clearInterval(sweeping);
      await pool.end();
    },

    async health(): Promise<Health> {
      try {
        await send([]);
        return { status: 'pass' };
      } catch {
        return { status: 'fail', detail: 'the database of the limits does not answer' };
      }
    },

    async consume(charges) {
      const { taken, used } = await queue.take({ charges, forced: false });
      return charges.map((charge, index) => rateDecision(charge, used[index] ?? 0, taken));
    },

    async adjust(charges) {
      await queue.take({ charges, forced: true });
    },
  };
}

/** Make the table and the function, once among all servers. The statements of one query are one transaction. */
async function prepareSchema(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ present: boolean }>(presentStatement);
  // Then the role needs only the right to use them.
  if (rows[0]?.present === true) return;
  await pool.query(readFileSync(new URL('../src/limits.sql', import.meta.url), 'utf8'));
}

/** There is no such table, or function. */
function isMissing(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return code === '42P01' || code === '42883';
}
