import assert from 'node:assert/strict';
import { insertion } from '../storage/sample-rows.ts';
import { acme, payloads, type QueueSuite, settled, watch } from './queue-under-test.ts';

/** Jobs within the commit of the change that they belong to. */
export function commitSuite({ runner, it }: QueueSuite): void {
  runner.describe('a job in a commit', () => {
    it('reaches a consumer once the commit is done', async ({ queue, storage }) => {
      const watched = watch(queue, 'mail');
      const job = queue.write(acme, { topic: 'mail', payload: 1 });
      assert.deepEqual(await storage.commit(acme, [insertion('functions', 'f'), job]), { done: true });
      queue.notify('mail');
      await watched.received(1);
      assert.equal(watched.jobs[0]?.tenant, acme);
    });

    it('reaches a consumer without a notification, too', async (subject) => {
      const { queue, storage, another } = subject;
      const watched = watch(await another(), 'mail');
      await storage.commit(acme, [queue.write(acme, { topic: 'mail', payload: 1 })]);
      await watched.received(1);
    });

    it('never comes where the commit is refused', async (subject) => {
      const { queue, storage } = subject;
      await storage.commit(acme, [insertion('functions', 'f')]);
      const job = queue.write(acme, { topic: 'mail', payload: 'never' });
      const result = await storage.commit(acme, [job, insertion('functions', 'f')]);
      assert.deepEqual(result, { done: false, index: 1, reason: 'exists' });
      const watched = watch(queue, 'mail');
      await settled(subject, watched, 'mail');
      assert.deepEqual(payloads(watched), []);
    });

    it('refuses the commit where its key is taken', async ({ queue, storage }) => {
      const job = { topic: 'mail', payload: 1, dedupeKey: 'k' };
      await queue.enqueue(acme, job);
      const result = await storage.commit(acme, [insertion('functions', 'f'), queue.write(acme, job)]);
      assert.deepEqual(result, { done: false, index: 1, reason: 'exists' });
      assert.equal(await storage.get(acme, 'functions', 'f'), undefined);
    });
  });
}
