import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '@patchbay/core';
import { type RateLimiter, tenantId } from '@patchbay/core/plugin';
import { rateLimiterConformance } from '@patchbay/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from './bucket-file.ts';
import limiterSqlite from './index.ts';
import { createSqliteRateLimiter } from './sqlite-rate-limiter.ts';

let folder: string;
let count = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'patchbay-limits-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const newFile = (): string => {
  count += 1;
  return join(folder, 'made', `${count}.db`);
};
const started = async (file: string, now = () => Date.now(), busyTimeoutMs = 20_000): Promise<RateLimiter> => {
  const limiter = createSqliteRateLimiter({ file, busyTimeoutMs, clock: { now } });
  await limiter.start?.(new AbortController().signal);
  return limiter;
};
const slow = { name: 'slow', requests: 1, seconds: 3_600, burst: 10 };
const allowed = async (limiter: RateLimiter, cost: number): Promise<boolean | undefined> =>
  (await limiter.consume([{ key: 'a', cost, policy: slow }]))[0]?.allowed;

rateLimiterConformance(
  { describe, it },
  { create: (time) => createSqliteRateLimiter({ file: newFile(), busyTimeoutMs: 50, clock: time }) },
);

describe('the file of the limits', () => {
  it('the file of the limits is shared, is there after a restart, and is for its owner only', async () => {
    const file = newFile();
    const [one, other] = [await started(file), await started(file)];
    expect([await allowed(one, 6), await allowed(other, 5), await allowed(other, 4)]).toEqual([true, false, true]);
    await one.stop?.();
    await other.stop?.();
    const again = await started(file);
    expect(await allowed(again, 1)).toBe(false);
    await again.stop?.();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('forgets buckets that are full again', async () => {
    const file = newFile();
    let now = 0;
    const limiter = await started(file, () => now);
    const policy = { name: 'quick', requests: 1, seconds: 1, burst: 1 };
    for (let key = 0; key < 300; key += 1) await limiter.consume([{ key: `old_${key}`, cost: 1, policy }]);
    now = 1_001;
    for (let round = 0; round < 200; round += 1) await limiter.consume([{ key: 'new', cost: 1, policy }]);
    await limiter.stop?.();
    const database = openDatabase(file);
    expect(database.prepare('SELECT key FROM bucket').all()).toEqual([{ key: 'new' }]);
    database.close();
  });

  it('refills buckets after the clock was set back', async () => {
    let now = 10_000_000;
    const limiter = await started(newFile(), () => now);
    expect(await allowed(limiter, 10)).toBe(true);
    now -= 9_000_000;
    expect(await allowed(limiter, 1)).toBe(false);
    now += 3_600_000;
    expect(await allowed(limiter, 1)).toBe(true);
    await limiter.stop?.();
  });

  it('the file of the limits must not have other tables', async () => {
    const file = newFile();
    await (await started(file)).stop?.();
    const database = openDatabase(file);
    database.exec('CREATE TABLE functions (id TEXT)');
    database.close();
    await expect(started(file)).rejects.toThrow('needs a separate file');
  });

  it('a start fails where the file of the limits is no database', async () => {
    const file = join(folder, 'text.db');
    await writeFile(file, 'This is no database. '.repeat(100));
    await expect(started(file)).rejects.toMatchObject({ code: 'SQLITE_NOTADB' });
  });
});

describe('a lock that another process holds', () => {
  it('delays a call without holding up the process', async () => {
    const file = newFile();
    const limiter = await started(file);
    const other = openDatabase(file);
    other.exec('BEGIN IMMEDIATE');
    const answer = allowed(limiter, 1);
    await new Promise((resolve) => setImmediate(resolve));
    other.exec('ROLLBACK');
    expect(await answer).toBe(true);
    other.close();
    await limiter.stop?.();
  });

  it('fails a call when it takes too long, which shows in the health', async () => {
    const file = newFile();
    const limiter = await started(file, Date.now, 5);
    const other = openDatabase(file);
    other.exec('BEGIN IMMEDIATE');
    await expect(allowed(limiter, 1)).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
    const detail = 'the file of the limits cannot be used (SQLITE_BUSY)';
    expect(await limiter.health?.()).toEqual({ status: 'fail', detail });
    other.exec('ROLLBACK');
    expect(await limiter.health?.()).toEqual({ status: 'pass' });
    expect(await allowed(limiter, 10)).toBe(true);
    other.close();
    await limiter.stop?.();
    await expect(allowed(limiter, 1)).rejects.toThrow('not open');
  });

  it('lets the server count by itself, and comes back to the file', async () => {
    const file = newFile();
    const app = await createApp({
      patchbay: 1,
      rateLimiter: { use: limiterSqlite, with: { file } },
      limits: { key: { all: { requests: 1, seconds: 3_600, burst: 5 } } },
    });
    const caller = (id: string) => ({ id, kind: 'api-key', tenant: tenantId('a'), scopes: ['*'] }) as const;
    const status = async () => {
      await app.services.limits.admit(caller('key_probe'));
      return (await app.host.health()).parts['limits']?.status;
    };
    await expect.poll(status).toBe('pass');
    const other = openDatabase(file);
    other.exec('BEGIN IMMEDIATE');
    const answers = await Promise.all(Array.from({ length: 10 }, () => app.services.limits.admit(caller('key_1'))));
    expect(answers.filter(({ refusal }) => refusal === undefined)).toHaveLength(5);
    expect(await status()).toBe('warn');
    other.exec('ROLLBACK');
    await expect.poll(status).toBe('pass');
    other.close();
    await app.host.stop(0);
  });
});
