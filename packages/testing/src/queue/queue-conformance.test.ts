import type { ConsumeOptions, Job, JobHandler, Queue } from '@patchbay/core/plugin';
import type { Storage, Write } from '@patchbay/core/storage';
import { createMemoryStorage } from '@patchbay/core/storage';
import { describe, expect, it, vi } from 'vitest';
import { queueConformance } from './queue-conformance.ts';
import type { QueueUnderTest } from './queue-under-test.ts';
import { storageQueueSubject } from './storage-queue-subject.ts';

// A broken queue is waited for until the suite loses its patience: all of them at once.
vi.setConfig({ maxConcurrency: 32 });

// Beside the suite and not beside its subject: the core does not depend on this package.
queueConformance({ describe, it }, { create: async () => storageQueueSubject() });

/** Whether a queue passes a test of the suite. */
async function passes(test: string, create: () => QueueUnderTest, capabilities: readonly string[] = []) {
  const bodies: (() => Promise<void> | void)[] = [];
  const runner = {
    describe: (_: string, body: () => void) => body(),
    it: (name: string, body: () => Promise<void> | void) => void (name === test && bodies.push(body)),
  };
  queueConformance(runner, { create: async () => create(), capabilities });
  const [body] = bodies;
  if (body === undefined) throw new Error(`there is no test "${test}"`);
  try {
    await body();
    return true;
  } catch {
    return false;
  }
}

const wrapped = (wrap: (queue: Queue) => Partial<Queue>) => () =>
  storageQueueSubject({ storage: createMemoryStorage() }, (queue) => {
    const methods: Queue = {
      enqueue: (...given) => queue.enqueue(...given),
      write: (...given) => queue.write(...given),
      notify: (...given) => queue.notify(...given),
      consume: (...given) => queue.consume(...given),
      dead: (...given) => queue.dead(...given),
      revive: (...given) => queue.revive(...given),
      discard: (...given) => queue.discard(...given),
      stop: async () => await queue.stop?.(),
    };
    return { ...methods, ...wrap(queue) };
  });

/** A queue that hands jobs over in another way. */
const handing = (change: (handler: JobHandler) => JobHandler, options: ConsumeOptions = {}) =>
  wrapped((queue) => ({
    consume: (topic, handler, given) => queue.consume(topic, change(handler), { ...given, ...options }),
  }));

function overStorage(change: (write: Write) => Write): QueueUnderTest {
  const storage = createMemoryStorage();
  const commit: Storage['commit'] = (tenant, writes) => storage.commit(tenant, writes.map(change));
  return storageQueueSubject({ storage: { ...storage, commit } });
}

const same: (handler: JobHandler) => JobHandler = (handler) => handler;

const broken: readonly (readonly [what: string, create: () => QueueUnderTest, test: string])[] = [
  [
    'delivers twice',
    handing((handler) => async (job) => {
      await handler(job);
      return await handler(job);
    }),
    '300 jobs reach four consumers of two queues once each',
  ],
  [
    'takes jobs without a fence',
    () =>
      overStorage((write) => {
        if (!('ifRevision' in write)) return write;
        const { ifRevision: _, ...unfenced } = write;
        return unfenced as Write;
      }),
    'a consumer that lost its lease cannot settle the job',
  ],
  [
    'knows no time',
    wrapped((queue) => ({ enqueue: (tenant, { topic, payload }) => queue.enqueue(tenant, { topic, payload }) })),
    'a delayed job comes when its time has come, and not before',
  ],
  [
    'keeps duplicates',
    wrapped((queue) => ({ enqueue: (tenant, { topic, payload }) => queue.enqueue(tenant, { topic, payload }) })),
    'drops a second job with the key, until the first is done',
  ],
  [
    'enqueues before the commit',
    wrapped((queue) => ({
      write(tenant, job) {
        void queue.enqueue(tenant, job);
        return queue.write(tenant, job);
      },
    })),
    'never comes where the commit is refused',
  ],
  [
    'takes a failure for the end',
    handing((handler) => async (job) => await handler(job).catch(() => undefined)),
    'a failed job comes again after the backoff, and not before',
  ],
  [
    'tries again at once',
    handing(same, { backoffMs: () => 0 }),
    'a failed job comes again after the backoff, and not before',
  ],
  [
    'counts what was put off',
    handing((handler) => async (job) => {
      if (await handler(job)) throw new Error('put off');
      return undefined;
    }),
    'a job that is put off comes again at its time, and at the same attempt',
  ],
  [
    'retries without end',
    handing(same, { maxAttempts: 1_000 }),
    'dead jobs are delivered no more, and listed with their errors',
  ],
  ['takes everything at once', handing(same, { concurrency: 100 }), 'concurrency is used, and never exceeded'],
  [
    'stays as it was',
    wrapped((queue) => ({
      consume: (...given) => ({ ...queue.consume(...given), resize: () => undefined }),
    })),
    'concurrency changes while jobs run',
  ],
  ['takes one at a time', handing(same, { concurrency: 1 }), 'concurrency is used, and never exceeded'],
  [
    'mixes up the tenants',
    handing((handler) => async (job: Job) => await handler({ ...job, tenant: 'acme' as Job['tenant'] })),
    'a job comes as it was enqueued, at its first attempt',
  ],
  [
    'dead-letters nothing',
    wrapped(() => ({ dead: async () => [] })),
    'dead jobs are delivered no more, and listed with their errors',
  ],
  [
    'shows the last dead first',
    wrapped((queue) => ({ dead: async (...given) => (await queue.dead(...given)).toReversed() })),
    'dead jobs are listed in the order of their last failure, up to the limit',
  ],
  [
    'shows all dead at once',
    wrapped((queue) => ({ dead: (topic) => queue.dead(topic, 1_000) })),
    'dead jobs are listed in the order of their last failure, up to the limit',
  ],
  [
    'takes every job',
    wrapped((queue) => ({
      enqueue: (tenant, job) => queue.enqueue(tenant, { ...job, ...(job.dedupeKey && { dedupeKey: 'k' }) }),
    })),
    'rejects an invalid job',
  ],
  [
    'stops without waiting',
    wrapped((queue) => ({
      consume(...given) {
        const consumer = queue.consume(...given);
        return {
          async stop() {
            void consumer.stop();
          },
        };
      },
    })),
    'a stopping consumer finishes its jobs and takes no more',
  ],
];

describe('the conformance suite of queues', () => {
  it.concurrent.each(broken)('catches a queue that %s', async (_, create, test) => {
    expect(await passes(test, () => storageQueueSubject())).toBe(true);
    expect(await passes(test, create)).toBe(false);
  });

  it('catches a queue that forgets while it claims not to', async () => {
    const create = () =>
      storageQueueSubject({ storage: createMemoryStorage(), reopen: async () => createMemoryStorage() });
    expect(await passes('loses no job, waiting, delayed or dead', create, ['durable'])).toBe(false);
  });
});
