import assert from 'node:assert/strict';
import { type Job, type TenantId, tenantId } from '@patchbay/core/plugin';
import { acme, other, type QueueSuite, type QueueUnderTest, watch } from './queue-under-test.ts';

/** Tenants take turns, however many jobs one of them has waiting. */
export function fairnessSuite({ runner, it }: QueueSuite): void {
  const enqueue = async ({ queue, storage }: QueueUnderTest, tenant: TenantId, count: number): Promise<void> => {
    for (let done = 0; done < count; done += 100) {
      const writes = Array.from({ length: Math.min(100, count - done) }, (_, index) =>
        queue.write(tenant, { topic: 'mail', payload: done + index }),
      );
      assert.deepEqual(await storage.commit(tenant, writes), { done: true });
    }
  };
  const tenantsOf = (jobs: readonly Job[]): readonly TenantId[] => jobs.map(({ tenant }) => tenant);

  runner.describe('fairness', () => {
    it('4,000 jobs of one tenant delay that of another by one job', async (subject) => {
      await enqueue(subject, acme, 4_000);
      await subject.advance(1);
      await subject.queue.enqueue(other, { topic: 'mail', payload: 'other' });
      const watched = watch(subject.queue, 'mail', undefined, { concurrency: 1 });
      const jobs = await watched.received(3);
      const place = tenantsOf(jobs.slice(0, 3)).indexOf(other);
      await watched.stop();
      assert.ok(place === 0 || place === 1, `the job of the other tenant came at place ${place}`);
    });

    it('tenants take turns for as long as they have jobs', async (subject) => {
      const tenants = [acme, other, tenantId('third')];
      for (const tenant of tenants) {
        await enqueue(subject, tenant, 20);
        await subject.advance(1);
      }
      const watched = watch(subject.queue, 'mail', undefined, { concurrency: 1 });
      const jobs = await watched.received(30);
      const counts = tenants.map((tenant) => tenantsOf(jobs.slice(0, 30)).filter((each) => each === tenant).length);
      await watched.stop();
      assert.ok(
        counts.every((count) => count >= 9 && count <= 11),
        `of 30 jobs, the tenants had ${counts.join(', ')}`,
      );
    });

    it('a job that comes while others are worked on has the next turn', async (subject) => {
      const release = new Set<() => void>();
      const handler = () => new Promise<undefined>((resolve) => release.add(() => resolve(undefined)));
      await enqueue(subject, acme, 50);
      const watched = watch(subject.queue, 'mail', handler, { concurrency: 4 });
      await watched.received(4);
      await subject.queue.enqueue(other, { topic: 'mail', payload: 'other' });
      for (let received = 4; received < 6; received += 1) {
        const [next] = release;
        if (next !== undefined) release.delete(next);
        next?.();
        await watched.received(received + 1);
      }
      const tenants = tenantsOf(watched.jobs.slice(4, 6));
      const stopping = watched.stop();
      for (const each of release) each();
      await stopping;
      assert.ok(tenants.includes(other), 'two jobs ended, and the other tenant got no turn');
    });

    it('delayed jobs do not hold up others', async (subject) => {
      const { queue, storage, advance } = subject;
      for (let index = 0; index < 120; index += 1) {
        const tenant = tenantId(`a${String(index).padStart(3, '0')}`);
        const late = queue.write(tenant, { topic: 'mail', payload: 'late', delayMs: 3_600_000 });
        await storage.commit(tenant, [late]);
      }
      await enqueue(subject, acme, 200);
      await advance(1);
      await queue.enqueue(other, { topic: 'mail', payload: 'other' });
      const watched = watch(queue, 'mail', undefined, { concurrency: 2 });
      const jobs = await watched.received(6);
      await watched.stop();
      assert.ok(tenantsOf(jobs.slice(0, 6)).includes(other), 'the other tenant got no turn');
    });
  });
}
