import type { Clock, Queue } from '@patchbay/core/plugin';
import type { Storage } from '@patchbay/core/storage';
import { createMemoryStorage, createStorageQueue } from '@patchbay/core/storage';
import type { QueueUnderTest } from './queue-under-test.ts';

/** A clock that moves on demand. */
function drivenClock() {
  let now = Date.UTC(2026, 0, 1);
  const clock: Clock = { now: () => now, monotonic: () => now };
  return {
    clock,
    advance: async (ms: number) => {
      now += ms;
    },
  };
}

export interface StorageQueueSubject {
  readonly storage: Storage;
  readonly reopen?: () => Promise<Storage>;
  readonly dispose?: () => Promise<void>;
}

/**
 * The queue of the core over a storage, for `queueConformance`: how a store shows that jobs are safe in it.
 *
 * @example
 * ```ts
 * import { describe, it } from 'node:test';
 * import type { Storage } from '@patchbay/core/storage';
 * import { queueConformance, storageQueueSubject } from '@patchbay/testing';
 *
 * declare function createMyStorage(): Storage;
 *
 * queueConformance({ describe, it }, {
 *   create: async () => storageQueueSubject({ storage: createMyStorage() }),
 * });
 * ```
 */
export function storageQueueSubject(
  subject: StorageQueueSubject = { storage: createMemoryStorage() },
  wrap: (queue: Queue) => Queue = (queue) => queue,
): QueueUnderTest {
  const { clock, advance } = drivenClock();
  const queues: Queue[] = [];
  const open = (storage: Storage): Queue => {
    const queue = wrap(createStorageQueue({ storage, clock, pollMs: 20 }));
    queues.push(queue);
    return queue;
  };
  const stopAll = async () => {
    for (const queue of queues.splice(0)) await queue.stop?.();
  };
  const { reopen } = subject;
  return {
    queue: open(subject.storage),
    storage: subject.storage,
    another: async () => open(subject.storage),
    advance,
    ...(reopen && {
      async reopen() {
        await stopAll();
        return open(await reopen());
      },
    }),
    async dispose() {
      await stopAll();
      await subject.dispose?.();
    },
  };
}
