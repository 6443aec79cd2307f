import { once } from 'node:events';
import { createPostgresRateLimiter } from '../postgres-rate-limiter.ts';

// Starts, reports it, waits for input, and sends this many calls at once; prints how many were allowed.
const [url = '', calls = '0'] = process.argv.slice(2);
const logger = { debug() {}, info() {}, warn: console.error, error: console.error };
const limiter = createPostgresRateLimiter({ url, poolSize: 4, timeoutMs: 20_000, logger });
await limiter.start?.(new AbortController().signal);
console.log('ready');
await once(process.stdin, 'data');
const policy = { name: 'many', requests: 1, seconds: 3_600, burst: 500 };
const answers = await Promise.all(
  Array.from({ length: Number(calls) }, () => limiter.consume([{ key: 'a', cost: 1, policy }])),
);
console.log(answers.filter(([decision]) => decision?.allowed).length);
await limiter.stop?.();
process.stdin.destroy();
