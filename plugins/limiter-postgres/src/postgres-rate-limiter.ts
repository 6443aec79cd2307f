import type { Health, Logger, RateCharge, RateDecision, RateLimiter } from '@patchbay/core/plugin';
import { Pool } from 'pg';
import { prepareSchema, sweepStatement, takeStatement } from './limits-schema.ts';
import { readTaken, type Take, type Taken, TakeQueue, takeParameters } from './take-queue.ts';

export interface PostgresRateLimiterOptions {
  readonly url: string;
  readonly poolSize: number;
  /** Milliseconds that an answer may take. */
  readonly timeoutMs: number;
  readonly logger: Logger;
  /** Milliseconds between two sweeps. Default: a minute. */
  readonly sweepMs?: number;
  /** Milliseconds, in place of the clock of the database, which all servers share. */
  readonly now?: () => number;
}

// Of the same size as in the function.
const ROUNDING = 1e-6;

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
  // Of an idle connection: the next call opens another, and says so if it cannot.
  pool.on('error', () => {});
  let prepared: Promise<void> | undefined;
  let sweeping: NodeJS.Timeout | undefined;

  const prepare = (): Promise<void> => {
    prepared ??= prepareWithin(pool).catch((error: unknown) => {
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
      const { promise: patience, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, START_MS);
      signal.addEventListener('abort', () => resolve(), { once: true });
      let failure: unknown = 'no answer';
      const preparing = prepare().then(
        () => {
          failure = undefined;
        },
        (error: unknown) => {
          failure = error;
        },
      );
      await Promise.race([preparing, patience]);
      clearTimeout(timer);
      // No reason not to start: limits hold, in each process by itself, until it is there.
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
      return charges.map((charge, index) => decide(charge, used[index] ?? 0, taken));
    },

    async adjust(charges) {
      await queue.take({ charges, forced: true });
    },
  };
}

async function prepareWithin(pool: Pool): Promise<void> {
  const client = await pool.connect();
  let failed = true;
  try {
    await prepareSchema(client);
    failed = false;
  } finally {
    client.release(failed);
  }
}

/** There is no such table, or function. */
function isMissing(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return code === '42P01' || code === '42883';
}

/** The decision of a bucket of which `used` units are used. */
function decide({ cost, policy }: RateCharge, used: number, taken: boolean): RateDecision {
  const perSecond = policy.requests / policy.seconds;
  const allowed = taken || used + cost <= policy.burst + ROUNDING;
  return {
    allowed,
    remaining: Math.max(0, Math.floor(policy.burst - used + ROUNDING)),
    resetSeconds: used / perSecond,
    retryAfterSeconds: allowed ? 0 : (used + cost - policy.burst) / perSecond,
  };
}
