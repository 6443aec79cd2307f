import type { Queue } from '../contracts/queue.ts';

/** A queue for a process that hands jobs in and takes none: whoever would consume is left without, and knows nothing of it. */
export function withoutConsumers(queue: Queue): Queue {
  return {
    enqueue: (tenant, job) => queue.enqueue(tenant, job),
    write: (tenant, job) => queue.write(tenant, job),
    notify: (topic) => queue.notify(topic),
    consume: () => ({ stop: async () => {}, resize: () => {} }),
    dead: (topic, limit) => queue.dead(topic, limit),
    revive: (tenant, id) => queue.revive(tenant, id),
    discard: (tenant, id) => queue.discard(tenant, id),
  };
}
