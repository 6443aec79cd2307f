import { createApp } from '@patchbay/core';
import { type Logger, type RateLimiter, tenantId } from '@patchbay/core/plugin';
import { rateLimiterConformance } from '@patchbay/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import limiterRedis from './index.ts';
import { createRedisRateLimiter } from './redis-rate-limiter.ts';
import { haveRedis, type RedisServer, startRedis } from './test-support/redis-server.ts';

const logger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
const present = haveRedis();
if (!present) console.warn('SKIPPED: the rate limiter in Redis; there is no redis-server, and it cannot be installed');

describe.skipIf(!present)('the rate limiter in Redis', () => {
  let redis: RedisServer;
  let count = 0;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  const open = (now?: () => number, prefix?: string): RateLimiter => {
    count += 1;
    const time = now === undefined ? {} : { now };
    // Far longer than in service: here the machine is busy, and exactness is what counts.
    return createRedisRateLimiter({
      url: redis.url,
      prefix: prefix ?? `${count}:`,
      timeoutMs: 20_000,
      logger,
      ...time,
    });
  };
  const started = async (prefix?: string): Promise<RateLimiter> => {
    const limiter = open(undefined, prefix);
    await limiter.start?.(new AbortController().signal);
    return limiter;
  };

  rateLimiterConformance({ describe, it }, { create: (time) => open(() => time.now()) });

  it('the rate limiter in Redis is exact when two servers ask 2,000 times at once', async () => {
    const [one, other] = [await started('shared:'), await started('shared:')];
    const policy = { name: 'many', requests: 1, seconds: 3_600, burst: 500 };
    const answers = await Promise.all(
      Array.from({ length: 2_000 }, (_, index) =>
        (index % 2 === 0 ? one : other).consume([{ key: 'a', cost: 1, policy }]),
      ),
    );
    expect(answers.filter(([decision]) => decision?.allowed)).toHaveLength(500);
    await one.stop?.();
    await other.stop?.();
  });

  it('uses the clock of Redis and reconnects after a restart', async () => {
    const limiter = await started();
    const charge = { key: 'a', cost: 10, policy: { name: 'slow', requests: 1, seconds: 3_600, burst: 10 } };
    const ask = async () => (await limiter.consume([charge]))[0]?.allowed;
    expect([await ask(), await ask()]).toEqual([true, false]);
    await redis.kill();
    await expect(limiter.consume([charge])).rejects.toBeInstanceOf(Error);
    await expect.poll(async () => (await limiter.health?.())?.status).toBe('fail');
    await redis.restart();
    await expect.poll(async () => (await limiter.health?.())?.status).toBe('pass');
    // Redis kept nothing, the script included.
    expect(await ask()).toBe(true);
    await limiter.stop?.();
  });

  it('lets the server count by itself while Redis is silent, and comes back to it', async () => {
    const app = await createApp({
      patchbay: 1,
      rateLimiter: { use: limiterRedis, with: { url: redis.url, prefix: 'app:' } },
      limits: { key: { all: { requests: 1, seconds: 3_600, burst: 5 } } },
    });
    const caller = (id: string) => ({ id, kind: 'api-key', tenant: tenantId('a'), scopes: ['*'] }) as const;
    const status = async () => {
      await app.services.limits.admit(caller('key_probe'));
      return (await app.host.health()).parts['limits']?.status;
    };
    await expect.poll(status).toBe('pass');
    redis.pause();
    const answers = await Promise.all(Array.from({ length: 10 }, () => app.services.limits.admit(caller('key_1'))));
    expect(answers.filter(({ refusal }) => refusal === undefined)).toHaveLength(5);
    expect(await status()).toBe('warn');
    redis.resume();
    await expect.poll(status).toBe('pass');
    await app.host.stop(0);
  });

  it('starts without Redis, and says so', async () => {
    const lines: string[] = [];
    const telling: Logger = { ...logger, warn: (message) => void lines.push(message) };
    const options = { url: 'redis://127.0.0.1:1', prefix: 'x:', timeoutMs: 50, logger: telling };
    const limiter = createRedisRateLimiter(options);
    await limiter.start?.(AbortSignal.timeout(200));
    expect(lines).toEqual(['Redis does not respond; it is retried']);
    expect(await limiter.health?.()).toMatchObject({ status: 'fail' });
    await limiter.stop?.();
  });
});
