import { once } from 'node:events';
import { createSqliteRateLimiter } from '../sqlite-rate-limiter.ts';

// Opens the file, reports it, waits for input, and sends this many calls at once; prints how many were allowed.
const [file = '', calls = '0'] = process.argv.slice(2);
const limiter = createSqliteRateLimiter({ file, busyTimeoutMs: 20_000, clock: { now: () => Date.now() } });
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
