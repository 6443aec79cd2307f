import { PgBossQueue } from '../pgboss-queue.ts';
import { openStorage, queueOptions } from './queue-under-test.ts';

// Takes a job with a lease of a second, reports it, and never ends it.
const [url = ''] = process.argv.slice(2);
const queue = new PgBossQueue({ ...queueOptions(url), storage: await openStorage(url) });
await queue.start();
const hang = async ({ attempt }: { readonly attempt: number }): Promise<never> => {
  console.log(`attempt ${attempt}`);
  return await new Promise(() => {});
};
queue.consume('mail', hang, { leaseMs: 1_000 });
setInterval(() => {}, 1_000);
