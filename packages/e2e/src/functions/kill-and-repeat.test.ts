import { afterEach, describe, expect, it } from 'vitest';
import { echo } from '../driver/sample-functions.ts';
import {
  ask,
  type ServerProcess,
  startServerProcess,
  type TemporaryData,
  temporaryData,
} from '../driver/server-process.ts';

// SIGKILL in the middle of a request with a key: it is never run a second time, and what was counted stays counted.

let data: TemporaryData;
let server: ServerProcess;

afterEach(async () => {
  await server.end('SIGKILL');
  await data.remove();
});

const executions = async (path: string) =>
  (await ask(server, 'GET', `${path}/executions`)).body['data'] as readonly { status: string }[];

const usage = async () => (await ask(server, 'GET', '/usage')).body['total'] as { readonly executions: number };

describe('a request with an Idempotency-Key', () => {
  it('never runs twice across a kill of the server; finished ones are replayed', async () => {
    data = await temporaryData();
    server = await startServerProcess(data.path);
    const waits = { ...echo, code: 'export default () => new Promise((resolve) => setTimeout(resolve, 8_000))' };
    const pathOf = async (source: object) =>
      `/functions/${String((await ask(server, 'POST', '/functions', source)).body['id'])}`;
    const [done, cut] = [await pathOf(echo), await pathOf(waits)];
    const execute = (path: string) =>
      ask(server, 'POST', `${path}/execute`, { input: {} }, { 'idempotency-key': 'once' });

    const first = await execute(done);
    expect(first.status).toBe(200);
    expect((await usage()).executions).toBe(1);
    const lost = execute(cut).catch(() => undefined);
    await expect.poll(async () => (await executions(cut)).map(({ status }) => status)).toEqual(['running']);
    await server.end('SIGKILL');
    await lost;

    server = await startServerProcess(data.path);
    const again = await execute(cut);
    expect([again.status, again.body['code']]).toEqual([409, 'idempotency_answer_lost']);
    expect((await executions(cut)).map(({ status }) => status)).toEqual(['interrupted']);
    const repeated = await execute(done);
    expect(repeated.body).toEqual(first.body);
    expect(await executions(done)).toHaveLength(1);
    expect((await usage()).executions).toBe(1);
  });
});
