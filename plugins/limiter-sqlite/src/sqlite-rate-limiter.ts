import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, type RateCharge, type RateLimiter, type RatePolicy, rateDecision } from '@patchbay/core/plugin';
import { type BucketFile, createFile, openBucketFile, sqliteCode } from './bucket-file.ts';

interface SqliteRateLimiterOptions {
  /** Absolute path. */
  readonly file: string;
  /** Milliseconds that a call waits for other processes. */
  readonly busyTimeoutMs: number;
  /** The system time, which all processes of a machine share, and which continues across restarts. */
  readonly clock: Pick<Clock, 'now'>;
}

/** Interval, in changes, and batch size of the search for full buckets to delete. */
const CHANGES_PER_SWEEP = 32;
const SWEPT_AT_ONCE = 128;

/** How long a start waits for processes that start beside it. */
const START_MS = 2_000;

/** Counts in a SQLite file, together with all processes of this machine that have it open. */
export function createSqliteRateLimiter({ file, busyTimeoutMs, clock }: SqliteRateLimiterOptions): RateLimiter {
  let opened: BucketFile | undefined;
  let changes = 0;

  const change = <T>(work: (buckets: BucketFile, now: number) => T): Promise<T> =>
    retryWhileBusy(() => {
      const buckets = opened;
      if (buckets === undefined) throw new Error('the file of the limits is not open');
      return buckets.change(() => {
        // Within the lock: no process writes a later time before an earlier one.
        const now = clock.now();
        changes += 1;
        if (changes % CHANGES_PER_SWEEP === 0) buckets.sweep(now, SWEPT_AT_ONCE);
        return work(buckets, now);
      });
    }, busyTimeoutMs);

  return {
    async start() {
      await createFile(file);
      opened = await retryWhileBusy(() => openBucketFile(file), START_MS);
    },

    async stop() {
      opened?.close();
      opened = undefined;
    },

    async health() {
      try {
        await change(() => undefined);
        return { status: 'pass' };
      } catch (error) {
        return { status: 'fail', detail: `the file of the limits cannot be used (${sqliteCode(error) ?? 'not open'})` };
      }
    },

    consume: (charges) =>
      change((buckets, now) => {
        const found = charges.map((charge) => ({ charge, before: findUsed(buckets, charge, now) }));
        const all = found.every(({ charge, before }) => rateDecision(charge, before).allowed);
        return found.map(({ charge, before }) => {
          const used = all ? use(buckets, charge, before, now) : before;
          return rateDecision(charge, used, all);
        });
      }),

    adjust: (charges) =>
      change((buckets, now) => {
        for (const charge of charges) use(buckets, charge, findUsed(buckets, charge, now), now);
      }),
  };
}

function findUsed(buckets: BucketFile, charge: RateCharge, now: number): number {
  const bucket = buckets.find(charge.key);
  if (bucket === undefined) return 0;
  // The clock was set back. Units come back from now on, and not only once it has caught up.
  if (bucket.at > now) return use(buckets, { ...charge, cost: 0 }, bucket.used, now);
  return Math.max(0, bucket.used - (now - bucket.at) * unitsPerMs(charge.policy));
}

function use(buckets: BucketFile, { key, cost, policy }: RateCharge, before: number, now: number): number {
  const used = Math.max(0, before + cost);
  if (used === 0) buckets.remove(key);
  else buckets.save(key, { used, at: now }, now + used / unitsPerMs(policy));
  return used;
}

const unitsPerMs = ({ requests, seconds }: RatePolicy): number => requests / seconds / 1_000;

/** A lock is held for some ten microseconds. */
const PAUSE_MS = 1;

/** Try again while another process holds the lock, for so long. The event loop runs meanwhile. */
async function retryWhileBusy<T>(attempt: () => T, patienceMs: number): Promise<T> {
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
