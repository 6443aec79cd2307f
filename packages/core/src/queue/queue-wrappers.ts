import { AsyncLocalStorage } from 'node:async_hooks';
import type { Queue } from '@patchbay/contracts/queue';

/** A queue for a process that adds jobs but runs none: its consumers never get any. */
export function withoutConsumers(queue: Queue): Queue {
  return withConsume(queue, () => ({ stop: async () => {}, resize: () => {} }));
}

/**
 * A queue whose jobs run in the async context of this call, and not in that of the request that happened to poll for
 * jobs: the span of a job would otherwise belong to an unrelated request.
 */
export function withoutSurroundings(queue: Queue): Queue {
  const outside = AsyncLocalStorage.snapshot();
  return withConsume(queue, (topic, handler, options) =>
    queue.consume(topic, (...job) => outside(() => handler(...job)), options),
  );
}

function withConsume(queue: Queue, consume: Queue['consume']): Queue {
  return {
    enqueue: (tenant, job) => queue.enqueue(tenant, job),
    write: (tenant, job) => queue.write(tenant, job),
    notify: (topic) => queue.notify(topic),
    consume,
    dead: (topic, limit) => queue.dead(topic, limit),
    revive: (tenant, id) => queue.revive(tenant, id),
    discard: (tenant, id) => queue.discard(tenant, id),
  };
}
