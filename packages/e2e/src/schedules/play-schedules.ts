import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { isFullSize } from '../driver/is-full-size.ts';
import { type Answer, ask, type TemporaryData, temporaryData } from '../driver/server-process.ts';
import { type Member, startMember } from '../replicas/member.ts';

const preload = fileURLToPath(new URL('./set-clock.mjs', import.meta.url));
const patiently = { timeout: isFullSize ? 900_000 : 120_000, interval: 100 };
const SECOND = 1_000;

export interface PlayOptions {
  readonly servers: number;
  readonly schedules: number;
  /** Times of each schedule, one a second. */
  readonly times: number;
  /** Text of the `storage` of the config. */
  readonly storage: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** A time of a schedule and the execution for it. */
interface Made {
  readonly scheduledFor: string;
  readonly status: string;
}

/** The executions of one schedule, and the times that it should have made them for. */
export interface Played {
  readonly overlap: string;
  readonly expected: readonly string[];
  readonly made: readonly Made[];
}

const overlaps = ['allow', 'skip', 'queue'] as const;

/**
 * Run schedules on servers that are killed or suspended in the middle, and whose clocks are set ahead and back, until each has
 * had its times and all of its executions have ended.
 */
export async function playSchedules(options: PlayOptions): Promise<readonly Played[]> {
  const folder = await temporaryData();
  const clock = createClock(folder);
  await clock.set(0);
  const config = configOf(options);
  const env = { ...options.env, CLOCK_FILE: clock.file };
  const start = () => startMember('replica', { config, env, nodeArguments: ['--import', preload] });
  const members = await Promise.all(Array.from({ length: options.servers }, start));
  try {
    return await play(options, members, clock);
  } finally {
    for (const member of members) await member.stop();
    await folder.remove();
  }
}

async function play(
  { schedules: count, times }: PlayOptions,
  members: readonly Member[],
  clock: Clock,
): Promise<readonly Played[]> {
  const first = members[0] as Member;
  const send = async (method: string, path: string, body?: object): Promise<Answer['body']> => {
    const answer = await ask(first.process, method, path, body);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  };
  const totalOf = async (path: string): Promise<number> =>
    ((await send('GET', `${path}/executions?limit=1`))['meta'] as { readonly total: number }).total;

  const source = { name: 'Label', description: 'Labels a text.', input: { type: 'object' }, code: '' };
  const output = { type: 'object', properties: { label: { type: 'string' } }, required: ['label'] };
  const settings = { model: 'demo/extractive' };
  const { id } = await send('POST', '/functions', { ...source, output, settings });
  const made = await Promise.all(
    Array.from({ length: count }, async (_, number) => {
      const overlap = overlaps[number % overlaps.length] as (typeof overlaps)[number];
      // Executions that queue run one after the other, which takes long.
      const every = overlap === 'queue' ? Math.ceil(times / 4) : 1;
      const body = { name: `number-${number}`, every: `${every}s`, overlap, catchUp: 'all', input: {} };
      const schedule = await send('POST', `/functions/${String(id)}/schedules`, body);
      const path = `/functions/${String(id)}/schedules/${String(schedule['id'])}`;
      return { path, overlap, every, start: Date.parse(String(schedule['createdAt'])) };
    }),
  );
  const reach = async (share: number) => {
    const slowest = made.filter(({ every }) => every === 1);
    const least = Math.floor(times * share);
    for (const { path } of slowest) await expect.poll(() => totalOf(path), patiently).toBeGreaterThanOrEqual(least);
  };
  const last = members.at(-1) as Member;
  const middle = members[Math.floor(members.length / 2)] as Member;

  await clock.set(times * 0.4 * SECOND, members);
  await reach(0.1);
  await last.end('SIGKILL');
  await last.restart();
  await reach(0.3);
  // Times that were reached before are reached again.
  await clock.set(times * 0.2 * SECOND, members);
  const isAlone = last === first;
  if (!isAlone) last.process.process.kill('SIGSTOP');
  await clock.set(times * 0.8 * SECOND, members);
  await reach(0.5);
  if (!isAlone) last.process.process.kill('SIGCONT');
  await middle.end('SIGKILL');
  await middle.restart();
  await clock.set(times * SECOND, members);
  await reach(1);
  for (const { path } of made) await send('POST', `${path}/pause`);

  const played: Played[] = [];
  for (const { path, overlap, every, start } of made) {
    const rows = await allOf(path, send);
    const reached = rows.map(({ scheduledFor }) => Date.parse(scheduledFor));
    const expected: string[] = [];
    for (let at = start + every * SECOND; at <= Math.max(...reached); at += every * SECOND) {
      expected.push(new Date(at).toISOString());
    }
    played.push({ overlap, expected, made: rows });
  }
  return played;
}

async function allOf(
  path: string,
  send: (method: string, path: string) => Promise<Answer['body']>,
): Promise<readonly Made[]> {
  let rows: Made[] = [];
  const isOpen = ({ status }: Made) => status === 'queued' || status === 'running';
  const readOpen = async () => {
    rows = [];
    for (let cursor = ''; ; ) {
      const page = await send('GET', `${path}/executions?limit=100&order=asc${cursor}`);
      rows.push(...(page['data'] as readonly Made[]));
      const { nextCursor } = page['meta'] as { readonly nextCursor?: string };
      if (nextCursor === undefined) return rows.filter(isOpen);
      cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
    }
  };
  await expect.poll(readOpen, patiently).toEqual([]);
  return rows;
}

interface Clock {
  readonly file: string;
  /** Have servers, which are those that are running, use a clock that is ahead by so much. */
  set(aheadMs: number, members?: readonly Member[]): Promise<void>;
}

function createClock(folder: TemporaryData): Clock {
  const file = join(folder.path, 'clock');
  return {
    file,
    async set(aheadMs, members = []) {
      await writeFile(file, String(aheadMs));
      for (const member of members) member.process.process.kill('SIGUSR2');
    },
  };
}

const configOf = ({ storage }: PlayOptions): string => `patchbay: 1
storage: ${storage}
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
providers: { demo: { use: "@patchbay/provider-demo" } }
secretFile: ./secret
limits: { off: true }
executions: { asyncConcurrency: 20, retryInterrupted: true, maxQueued: 1000000, leaseMs: 3000 }
`;
