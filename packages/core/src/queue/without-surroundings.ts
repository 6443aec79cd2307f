import { AsyncLocalStorage } from 'node:async_hooks';
import type { Queue } from '../contracts/queue.ts';

/**
 * A queue whose jobs begin where this was called, and not in the surroundings of whichever request had somebody look for
 * jobs: the span of a job would else belong to a request that has nothing to do with it.
 */
export function withoutSurroundings(queue: Queue): Queue {
  const outside = AsyncLocalStorage.snapshot();
  return {
    enqueue: (tenant, job) => queue.enqueue(tenant, job),
    write: (tenant, job) => queue.write(tenant, job),
    notify: (topic) => queue.notify(topic),
    consume: (topic, handler, options) => queue.consume(topic, (...job) => outside(() => handler(...job)), options),
    dead: (topic, limit) => queue.dead(topic, limit),
    revive: (tenant, id) => queue.revive(tenant, id),
    discard: (tenant, id) => queue.discard(tenant, id),
  };
}
