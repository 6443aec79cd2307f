import type { Clock } from '../contracts/clock.ts';
import type { Storage } from '../contracts/storage.ts';
import type { Sample } from '../contracts/telemetry.ts';
import { eventTopic, laneTopic } from '../events/webhook-jobs.ts';
import { executionTopic } from '../functions/executions/execution-job.ts';

/** Jobs that are looked at: enough to see that there are too many. */
const MOST_JOBS = 1_000;

/** What waits in the built-in queue, by topic. A queue that keeps its jobs elsewhere has metrics of its own. */
export async function queueSamples(storage: Storage, clock: Clock): Promise<readonly Sample[]> {
  const now = clock.now();
  const empty = [executionTopic, eventTopic, laneTopic].map((topic) => [topic, { jobs: 0, oldest: now }] as const);
  const topics = new Map<string, { jobs: number; oldest: number }>(empty);
  for (const { row } of await storage.scanAllTenants('jobs', { state: 'waiting' }, MOST_JOBS, 'dueAt')) {
    // Of those that are taken, `dueAt` is the end of the lease.
    if (Date.parse(row.dueAt) > now) break;
    const known = topics.get(row.topic) ?? { jobs: 0, oldest: now };
    topics.set(row.topic, { jobs: known.jobs + 1, oldest: Math.min(known.oldest, Date.parse(row.dueAt)) });
  }
  const dead = new Map<string, number>(empty.map(([topic]) => [topic, 0]));
  for (const { row } of await storage.scanAllTenants('jobs', { state: 'dead' }, MOST_JOBS)) {
    dead.set(row.topic, (dead.get(row.topic) ?? 0) + 1);
  }
  const given = [...dead].map(([topic, value]) => ({ name: 'patchbay.queue.dead', value, attributes: { topic } }));
  const waiting = [...topics].flatMap(([topic, { jobs, oldest }]) => [
    { name: 'patchbay.queue.jobs', value: jobs, attributes: { topic } },
    { name: 'patchbay.queue.oldest', value: Math.max(0, now - oldest) / 1_000, attributes: { topic } },
  ]);
  return [...waiting, ...given];
}
