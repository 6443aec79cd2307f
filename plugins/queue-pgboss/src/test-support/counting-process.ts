import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { PgBossQueue } from '../pgboss-queue.ts';
import { openStorage, queueOptions } from './queue-under-test.ts';

// Does jobs, each for a moment, and writes down which, until it is killed.
const [url = ''] = process.argv.slice(2);
const client = new Client({ connectionString: url });
await client.connect();
const queue = new PgBossQueue({ ...queueOptions(url), storage: await openStorage(url) });
await queue.start();
queue.consume(
  'mail',
  async ({ payload, attempt }) => {
    await pause(5);
    await client.query('INSERT INTO done (job, attempt) VALUES ($1, $2)', [payload, attempt]);
    return undefined;
  },
  // The first in the row may die with each of them.
  { concurrency: 4, leaseMs: 1_000, maxAttempts: 1_000 },
);
console.log('ready');
