import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { tenantId } from '@patchbay/core/plugin';
import { missingPostgres } from '@patchbay/postgres-for-tests';
import { afterAll, describe, expect, it } from 'vitest';
import { ask, queuesForTests } from './test-support/queue-under-test.ts';

// PATCHBAY_KILLS kills so many consumers instead of two.
const kills = Number(process.env['PATCHBAY_KILLS'] ?? 2);
const acme = tenantId('acme');
const missing = missingPostgres();
const queues = queuesForTests();
const children: ChildProcess[] = [];
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await queues.stop();
});

const script = new URL('./test-support/counting-process.ts', import.meta.url).pathname;
const consume = async (url: string): Promise<ChildProcess> => {
  const child = spawn(process.execPath, ['--conditions=source', script, url], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await once(createInterface({ input: child.stdout }), 'line');
  return child;
};

describe.skipIf(missing !== undefined)('consumers that are killed again and again', () => {
  it('jobs of consumers that are killed again and again are all done by others', {
    timeout: 90_000 + kills * 10_000,
  }, async () => {
    const subject = await queues.create();
    const { queue, url, storage } = subject;
    await ask(url, 'CREATE TABLE done (job integer NOT NULL, attempt integer NOT NULL)');
    const count = kills * 40;
    const done = async () => Number((await ask(url, 'SELECT count(DISTINCT job) AS n FROM done'))[0]?.['n']);
    for (let job = 0; job < count; job += 1) {
      const write = queue.write(acme, { topic: 'mail', payload: job, dedupeKey: `k${job}` });
      expect(await storage.commit(acme, [write])).toEqual({ done: true });
    }
    for (let kill = 1; kill <= kills; kill += 1) {
      const child = await consume(url);
      // In the middle of its work: some are done, some are claimed, some wait.
      await expect.poll(done, { interval: 1 }).toBeGreaterThan((kill - 1) * 20);
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
    // Who dies between claiming and saying for how long leaves a job for the 30 s that it was enqueued with.
    await subject.advance(31_000);
    await consume(url);
    await expect.poll(done, { timeout: 60_000 }).toBe(count);
    const states = () => ask(url, "SELECT DISTINCT state FROM pgboss.job WHERE name = 'mail'");
    await expect.poll(states).toEqual([{ state: 'completed' }]);
    // At least once: what a dead one had claimed came again, and was counted as another attempt.
    expect((await ask(url, 'SELECT max(attempt) AS n FROM done'))[0]?.['n']).toBeGreaterThan(1);
    await subject.dispose();
  });
});
