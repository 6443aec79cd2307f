import { canStartPostgres } from '@patchbay/postgres-for-tests';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { echo } from '../driver/sample-functions.ts';
import { type Answer, ask } from '../driver/server-process.ts';
import { startTraces, type Traces } from '../driver/traces.ts';
import { type Fleet, startFleet } from './fleet.ts';
import type { Member } from './member.ts';

// Executions whose process dies, or is suspended for longer than its lease.

const config = (traces: string) => `patchbay: 1
server: { consumeJobs: false }
storage: { use: "@patchbay/store-postgres", with: { url: "\${DATABASE_URL}" } }
executor: { use: "@patchbay/executor-deno", with: { spares: 1 } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
secretFile: ./secret
limits: { off: true }
executions: { timeoutMs: 60000, leaseMs: 3000, asyncConcurrency: 1, retryInterrupted: true }
functions: { grants: [{ functions: ["*"], hosts: ["${traces}"], addresses: ["127.0.0.0/8"] }] }
`;

// A lease takes seconds to run out: who looks all the time takes the CPU from those who wait.
const patiently = { timeout: 60_000, interval: 250 };

describe.skipIf(!canStartPostgres())('an execution whose process', { timeout: 120_000 }, () => {
  let fleet: Fleet;
  let traces: Traces;
  let one: Member;
  let two: Member;

  /** A function that leaves a trace, and then takes so long; its output is another one each time. */
  const create = async (name: string, ms: number): Promise<string> => {
    const code = `export default async (_, { fetch }) => {
      await fetch('${traces.url}/${encodeURIComponent(name)}', { method: 'POST' });
      await new Promise((resolve) => setTimeout(resolve, ${ms}));
      return { at: Math.random() };
    }`;
    return `/functions/${String((await ask(two.process, 'POST', '/functions', { ...echo, name, code })).body['id'])}`;
  };
  const began = (name: string, times = 1) => expect.poll(() => traces.counts.get(name), patiently).toBe(times);
  const only = async (path: string): Promise<Answer['body']> => {
    const { body } = await ask(two.process, 'GET', `${path}/executions`);
    const [{ id }] = body['data'] as [{ id: string }];
    return (await ask(two.process, 'GET', `/executions/${id}`)).body;
  };
  const becomes = async (path: string, status: string): Promise<Answer['body']> => {
    await expect.poll(async () => (await only(path))['status'], patiently).toBe(status);
    return await only(path);
  };

  beforeAll(async () => {
    traces = await startTraces();
    fleet = await startFleet({ config: config(traces.url), replicas: 2, workers: 2 });
    [one, two] = fleet.replicas as [Member, Member];
  }, 120_000);

  afterAll(async () => {
    await fleet?.stop();
    await traces?.stop();
  });

  it('was killed on another machine is interrupted once the lease expired', async () => {
    // As if it ran on another machine, whose processes cannot be inspected here.
    const { pid } = one.process.process;
    await fleet.database.query(`UPDATE instances SET process = '' WHERE process LIKE '% ${pid} %'`);
    const path = await create('killed', 50_000);
    const answer = ask(one.process, 'POST', `${path}/execute`, { input: {} }).catch(() => 'cut off');
    await began('killed');
    await one.end('SIGKILL');
    expect(await answer).toBe('cut off');
    expect((await only(path))['status']).toBe('running');
    expect(await becomes(path, 'interrupted')).toMatchObject({ error: { code: 'interrupted' } });
    await one.restart();
  });

  it('was paused beyond its lease keeps the outcome another replica recorded, and runs once per key', async () => {
    const path = await create('paused', 1_500);
    const key = { 'idempotency-key': 'of-the-paused' };
    const run = (member: Member) => ask(member.process, 'POST', `${path}/execute`, { input: {} }, key);
    const answer = run(one);
    await began('paused');
    one.process.process.kill('SIGSTOP');
    const closed = await becomes(path, 'interrupted').finally(() => one.process.process.kill('SIGCONT'));
    const { status, body } = await answer;
    expect([status, body['code'], body['execution']]).toMatchObject([
      503,
      'executor_unavailable',
      { status: 'interrupted' },
    ]);
    expect(await only(path)).toEqual(closed);
    for (const member of [one, two]) expect((await run(member)).body['code']).toBe('idempotency_answer_lost');
    expect(traces.counts.get('paused')).toBe(1);
    // It says again that it is alive, and goes on.
    const next = await ask(one.process, 'POST', `${await create('after', 0)}/execute`, { input: {} });
    expect(next.status).toBe(200);
  });

  it('is a paused worker keeps the output of the worker that took over', async () => {
    const path = await create('taken over', 3_000);
    const accepted = await ask(two.process, 'POST', `${path}/execute`, { input: {} }, { prefer: 'respond-async' });
    expect(accepted.status).toBe(202);
    await began('taken over');
    const owners = await fleet.database.query(
      "SELECT process FROM instances WHERE id IN (SELECT owner FROM executions WHERE status = 'running')",
    );
    const pid = Number(String(owners[0]?.['process']).split(' ')[2]);
    const held = fleet.workers.find(({ process }) => process.process.pid === pid) as Member;
    held.process.process.kill('SIGSTOP');
    const done = await becomes(path, 'completed').finally(() => held.process.process.kill('SIGCONT'));
    expect(done).toMatchObject({ attempt: 2 });
    // By the time it has stopped it has tried to write whatever it had.
    await held.end('SIGTERM');
    expect(await only(path)).toEqual(done);
    expect(traces.counts.get('taken over')).toBe(2);
  });
});
