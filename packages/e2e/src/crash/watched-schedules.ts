import { setTimeout as delay } from 'node:timers/promises';
import { echo } from '../driver/sample-functions.ts';
import type { Answer } from '../driver/server-process.ts';
import type { Traces } from '../driver/traces.ts';

/** Sends a request until it is answered. */
type Send = (method: string, path: string, body?: unknown) => Promise<Answer>;

/** A schedule with a time each second, all of which are made up. */
export interface WatchedSchedule {
  readonly path: string;
  readonly start: number;
}

interface Execution {
  readonly id: string;
  readonly status: string;
  readonly scheduledFor: string;
}

const SECOND = 1_000;
const PATIENCE_MS = 120_000;

export async function startSchedules(
  send: Send,
  functionId: string,
  count: number,
): Promise<readonly WatchedSchedule[]> {
  const collection = `/functions/${functionId}/schedules`;
  const started: WatchedSchedule[] = [];
  for (let number = 0; number < count; number += 1) {
    const given = { name: `number-${number}`, every: '1s', overlap: 'allow', catchUp: 'all', input: {} };
    const { body } = await send('POST', collection, given);
    started.push({ path: `${collection}/${String(body['id'])}`, start: Date.parse(String(body['createdAt'])) });
  }
  return started;
}

/** A function that leaves a trace of each run under the id of its execution: a second run of one shows there. */
export const leavesTrace = ({ url }: Traces) => ({
  ...echo,
  code: `export default async (input, { fetch, executionId }) => {
  await fetch('${url}/' + executionId, { method: 'POST' });
  return input;
}`,
});

/** Pause schedules, and compare their executions with their times, and with what the runs left. @returns What is wrong. */
export async function checkSchedules(
  send: Send,
  schedules: readonly WatchedSchedule[],
  { counts }: Traces,
): Promise<readonly string[]> {
  const faults: string[] = [];
  const known = new Set<string>();
  for (const { path, start } of schedules) {
    await send('POST', `${path}/pause`);
    const executions = await endedExecutions(send, path);
    const made = executions.map(({ scheduledFor }) => Date.parse(scheduledFor)).toSorted((a, b) => a - b);
    // The times follow each other without a gap, so each has one execution.
    const wrong = made.find((time, index) => time !== start + (index + 1) * SECOND);
    if (made.length === 0) faults.push(`${path} has no execution`);
    if (wrong !== undefined) faults.push(`${path} misses a time before ${wrong - start} ms, or has it twice`);
    for (const { id, status } of executions) {
      const { body } = await send('GET', `/executions/${id}`);
      if (status !== 'completed' && status !== 'interrupted') faults.push(`${id} is ${JSON.stringify(body)}`);
      known.add(id);
      const runs = counts.get(id) ?? 0;
      if (runs > 1 || (runs === 0 && status === 'completed')) faults.push(`${id} is ${status} and ran ${runs} times`);
    }
  }
  const unknown = [...counts.keys()].filter((text) => text.startsWith('execution_') && !known.has(text));
  return [...faults, ...unknown.map((id) => `${id} ran, and no schedule has it`)];
}

/** All executions of a schedule that is paused, once they have ended. */
async function endedExecutions(send: Send, path: string): Promise<readonly Execution[]> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const found: Execution[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { body } = await send('GET', `${path}/executions?limit=100&order=asc${query}`);
      found.push(...(body['data'] as readonly Execution[]));
      cursor = (body['meta'] as { readonly nextCursor?: string }).nextCursor;
    }
    const isOver = found.every(({ status }) => status !== 'queued' && status !== 'running');
    if (isOver || performance.now() > deadline) return found;
    await delay(50);
  }
}
