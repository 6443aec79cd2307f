import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type Health, type Logger, type RateCharge, type RateLimiter, rateDecision } from '@patchbay/core/plugin';
import { createClient } from '@redis/client';

const source = readFileSync(new URL('../src/take.lua', import.meta.url), 'utf8');
const sha1 = createHash('sha1').update(source).digest('hex');

export interface RedisRateLimiterOptions {
  readonly url: string;
  /** Prefix of every key in Redis. */
  readonly prefix: string;
  /** Milliseconds that a response may take. */
  readonly timeoutMs: number;
  readonly logger: Logger;
  /** Milliseconds, in place of the clock of Redis, which all servers share. */
  readonly now?: () => number;
}

/** How long a start waits for the first connection. */
const START_MS = 2_000;

/** Longest pause between two attempts to connect. */
const RECONNECT_MS = 1_000;

export function createRedisRateLimiter(options: RedisRateLimiterOptions): RateLimiter {
  const { url, prefix, timeoutMs, logger, now } = options;
  const client = createClient({
    url,
    // Without a connection a command fails at once: the host counts by itself meanwhile, and no request waits.
    disableOfflineQueue: true,
    socket: { connectTimeout: timeoutMs * 10, reconnectStrategy: (tries) => Math.min(50 * 2 ** tries, RECONNECT_MS) },
  });
  let failure: string | undefined = 'not connected yet';
  client.on('ready', () => {
    if (failure !== undefined) logger.info('connected to Redis');
    failure = undefined;
  });
  // Repeats at every attempt to connect. The message can contain the address, never the password.
  client.on('error', (error: Error) => {
    if (failure === undefined) logger.warn('the connection to Redis is lost', { error });
    failure = 'there is no connection to Redis';
  });

  const run = async (mode: 'take' | 'adjust', charges: readonly RateCharge[]): Promise<readonly string[]> => {
    const time = now === undefined ? '' : String(now());
    const values = charges.flatMap(({ cost, policy }) => [
      cost,
      policy.requests / policy.seconds / 1_000,
      policy.burst,
    ]);
    const given = {
      keys: charges.map(({ key }) => prefix + key),
      arguments: [time, mode, ...values.map(String)],
    };
    const command = client.withCommandOptions({ timeout: timeoutMs });
    try {
      return (await command.evalSha(sha1, given)) as string[];
    } catch (error) {
      // Redis forgets its scripts when it restarts.
      if (!(error as Error).message.startsWith('NOSCRIPT')) throw error;
      return (await command.eval(source, given)) as string[];
    }
  };

  return {
    async start(signal) {
      const patience = pause(START_MS, undefined, { signal, ref: false });
      await Promise.race([client.connect(), patience]).catch(() => undefined);
      // No reason not to start: until Redis is available, each process enforces the limits by itself.
      if (failure !== undefined) logger.warn('Redis does not respond; it is retried');
    },

    async stop() {
      client.destroy();
    },

    async health(): Promise<Health> {
      return failure === undefined ? { status: 'pass' } : { status: 'fail', detail: failure };
    },

    async consume(charges) {
      const [taken, ...used] = await run('take', charges);
      return charges.map((charge, index) => rateDecision(charge, Number(used[index]), taken === '1'));
    },

    async adjust(charges) {
      await run('adjust', charges);
    },
  };
}
