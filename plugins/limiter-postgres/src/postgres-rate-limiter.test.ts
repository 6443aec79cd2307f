import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { createApp } from '@patchbay/core';
import { type Logger, type RateLimiter, tenantId } from '@patchbay/core/plugin';
import { missingPostgres, openPostgres, startPostgres, type TestPostgres } from '@patchbay/postgres-for-tests';
import { rateLimiterConformance } from '@patchbay/testing';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import limiterPostgres from './index.ts';
import { createPostgresRateLimiter } from './postgres-rate-limiter.ts';

const logger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
const missing = missingPostgres();
if (missing !== undefined) console.warn(`SKIPPED: the rate limiter in PostgreSQL; ${missing}`);

/** Prefixes the keys, so that many limiters can share a table without sharing buckets. */
function within(prefix: string, limiter: RateLimiter): RateLimiter {
  return {
    ...limiter,
    consume: (charges) => limiter.consume(charges.map((charge) => ({ ...charge, key: prefix + charge.key }))),
    adjust: (charges) => limiter.adjust(charges.map((charge) => ({ ...charge, key: prefix + charge.key }))),
  };
}

describe.skipIf(missing !== undefined)('the rate limiter in PostgreSQL', () => {
  let postgres: TestPostgres;
  let url: string;
  let count = 0;
  const children: ChildProcess[] = [];
  beforeAll(async () => {
    postgres = await openPostgres();
    url = (await postgres.createDatabase()).url;
  });
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await postgres.stop();
  });

  // Far longer than in service: here the machine is busy, and exactness is what counts.
  const options = { poolSize: 4, timeoutMs: 20_000, logger };
  const started = async (more: object = {}, on = url): Promise<RateLimiter> => {
    const limiter = createPostgresRateLimiter({ ...options, url: on, ...more });
    await limiter.start?.(new AbortController().signal);
    return limiter;
  };
  const rows = async (sql: string, on = url): Promise<readonly Record<string, unknown>[]> => {
    const client = new Client({ connectionString: on });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  };

  rateLimiterConformance(
    { describe, it },
    {
      create: (time) => {
        count += 1;
        return within(`${count}:`, createPostgresRateLimiter({ ...options, url, now: () => time.now() }));
      },
    },
  );

  it('the rate limiter in PostgreSQL is exact when four processes that start at once ask 500 times each', async () => {
    const { url: fresh } = await postgres.createDatabase();
    const script = new URL('./test-support/taking-process.ts', import.meta.url).pathname;
    const processes = Array.from({ length: 4 }, () => {
      const child = spawn(process.execPath, ['--conditions=source', script, fresh, '500'], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      children.push(child);
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      return { child, line: async () => String((await lines.next()).value) };
    });
    expect(await Promise.all(processes.map(({ line }) => line()))).toEqual(Array.from({ length: 4 }, () => 'ready'));
    for (const { child } of processes) child.stdin.write('go\n');
    const taken = await Promise.all(processes.map(({ line }) => line()));
    expect(taken.reduce((sum, each) => sum + Number(each), 0)).toBe(500);
  });

  it('the rate limiter in PostgreSQL does not deadlock where calls name the same buckets in another order', async () => {
    const limiter = await started();
    const policy = { name: 'many', requests: 1, seconds: 3_600, burst: 100 };
    const charges = ['left', 'right'].map((key) => ({ key, cost: 1, policy }));
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, index) => limiter.consume(index % 2 === 0 ? charges : charges.toReversed())),
    );
    expect(answers.filter((each) => each.every(({ allowed }) => allowed))).toHaveLength(100);
    await limiter.stop?.();
  });

  it('uses the clock of the database and accepts keys of any characters', async () => {
    const limiter = await started();
    const charge = { key: 'a"\'\0{},😀', cost: 10, policy: { name: 'slow', requests: 1, seconds: 3_600, burst: 10 } };
    const ask = async () => (await limiter.consume([charge]))[0]?.allowed;
    expect([await ask(), await ask()]).toEqual([true, false]);
    expect(await limiter.health?.()).toEqual({ status: 'pass' });
    await limiter.stop?.();
  });

  it('forgets buckets that are full again, and recreates its table if it was removed', async () => {
    const { url: fresh } = await postgres.createDatabase();
    const limiter = await started({ sweepMs: 20 }, fresh);
    const quick = { name: 'quick', requests: 1_000, seconds: 1, burst: 10 };
    const slow = { name: 'slow', requests: 1, seconds: 3_600, burst: 10 };
    await limiter.consume([
      { key: 'quick', cost: 5, policy: quick },
      { key: 'slow', cost: 5, policy: slow },
    ]);
    const keys = async () => (await rows('SELECT key FROM patchbay_limits', fresh)).map(({ key }) => key);
    await expect.poll(keys).toEqual(['slow']);
    await rows('DROP TABLE patchbay_limits', fresh);
    const ask = () => limiter.consume([{ key: 'slow', cost: 10, policy: slow }]);
    await expect(ask()).rejects.toThrow('patchbay_limits');
    expect((await ask())[0]?.allowed).toBe(true);
    await limiter.stop?.();
  });

  it('starts without a database, and says so', async () => {
    const lines: string[] = [];
    const telling: Logger = { ...logger, warn: (message) => void lines.push(message) };
    const limiter = await started({ logger: telling, timeoutMs: 50 }, 'postgresql://x:y@127.0.0.1:1/z');
    expect(lines).toEqual(['the limiter database does not respond; it is retried']);
    expect(await limiter.health?.()).toMatchObject({ status: 'fail' });
    await limiter.stop?.();
  });
});

describe.skipIf(missing !== undefined || process.env['PATCHBAY_TEST_POSTGRES_URL'] !== undefined)(
  'a PostgreSQL that dies under the rate limiter',
  () => {
    it('hands over to the process while it is unavailable, and resumes afterwards', async () => {
      const own = await startPostgres();
      const app = await createApp({
        patchbay: 1,
        rateLimiter: { use: limiterPostgres, with: { url: own.url } },
        limits: { key: { all: { requests: 1, seconds: 3_600, burst: 5 } } },
      });
      const caller = (id: string) => ({ id, kind: 'api-key', tenant: tenantId('a'), scopes: ['*'] }) as const;
      const allowed = async (id: string) => {
        const answers = await Promise.all(Array.from({ length: 10 }, () => app.services.limits.admit(caller(id))));
        return answers.filter(({ refusal }) => refusal === undefined).length;
      };
      const status = async () => {
        await app.services.limits.admit(caller('key_probe'));
        return (await app.host.health()).parts['limits']?.status;
      };
      await expect.poll(status).toBe('pass');
      await own.crash();
      // Its processes that serve connections notice it a moment later.
      await expect.poll(status).toBe('warn');
      expect(await allowed('key_1')).toBe(5);
      await own.restart();
      await expect.poll(status).toBe('pass');
      own.pause();
      expect(await allowed('key_2')).toBe(5);
      expect(await status()).toBe('warn');
      own.resume();
      await expect.poll(status).toBe('pass');
      await app.host.stop(0);
      await own.stop();
    });
  },
);
