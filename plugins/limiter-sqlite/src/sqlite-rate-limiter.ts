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

/** A change that waits for its transaction. It may run more than once, until one is committed. */
interface Change {
  readonly work: (buckets: BucketFile, now: number) => void;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** Interval, in transactions, and batch size of the search for full buckets to delete. */
const CHANGES_PER_SWEEP = 32;
const SWEPT_AT_ONCE = 128;

/** How long a start waits for processes that start concurrently. */
const START_MS = 2_000;

/** Counts in a SQLite file, together with all processes of this machine that have it open. */
export function createSqliteRateLimiter({ file, busyTimeoutMs, clock }: SqliteRateLimiterOptions): RateLimiter {
  let opened: BucketFile | undefined;
  let changes = 0;
  let waiting: Change[] = [];

  const apply = (batch: readonly Change[]): Promise<void> =>
    retryWhileBusy(() => {
      const buckets = opened;
      if (buckets === undefined) throw new Error('the file of the limits is not open');
      buckets.change(() => {
        // Within the lock: no process writes a later time before an earlier one.
        const now = clock.now();
        changes += 1;
        if (changes % CHANGES_PER_SWEEP === 0) buckets.sweep(now, SWEPT_AT_ONCE);
        for (const { work } of batch) work(buckets, now);
      });
    }, busyTimeoutMs);

  const applyWaiting = async (): Promise<void> => {
    const batch = waiting;
    waiting = [];
    try {
      await apply(batch);
      for (const { done } of batch) done();
    } catch (error) {
      for (const { failed } of batch) failed(error);
    }
  };

  /** Changes of one turn of the event loop share a transaction, which costs more than the changes. */
  const change = <T>(work: (buckets: BucketFile, now: number) => T): Promise<T> =>
    new Promise((resolve, reject) => {
      let result: T;
      if (waiting.length === 0) setImmediate(() => void applyWaiting());
      waiting.push({
        work(buckets, now) {
          result = work(buckets, now);
        },
        done: () => resolve(result),
        failed: reject,
      });
    });

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
  // The clock was set back. Units are refilled from now on, not only once it has caught up.
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
