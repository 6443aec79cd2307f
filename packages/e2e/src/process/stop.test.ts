import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { echo } from '../driver/sample-functions.ts';
import { sandboxProcesses } from '../driver/sandbox-processes.ts';
import {
  adminKey,
  ask,
  type ServerProcess,
  startServerProcess,
  type TemporaryData,
  temporaryData,
} from '../driver/server-process.ts';

// SIGTERM: requests in progress finish, and no new ones begin. The second signal: `main.test.ts` and `start-signals.test.ts`.

let data: TemporaryData;
let server: ServerProcess;

const waits = (ms: number): object => ({
  ...echo,
  code: `export default async () => { await new Promise((resolve) => setTimeout(resolve, ${ms})); return { done: true } }`,
});

const config = (more: string): string => `patchbay: 1
storage: { use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }
executor: { use: "@patchbay/executor-deno", with: { spares: 1 } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
secretFile: ./secret
${more}
`;

async function start(source: object, more: string): Promise<string> {
  data = await temporaryData();
  server = await startServerProcess(data.path, { config: config(more) });
  return `/functions/${String((await ask(server, 'POST', '/functions', source)).body['id'])}`;
}

/** A server that holds every request until it is opened, for functions that end when a test says so. */
async function startGate() {
  const held: ServerResponse[] = [];
  const gate = createServer((_, response) => held.push(response)).listen(0, '127.0.0.1');
  await once(gate, 'listening');
  return {
    url: `http://127.0.0.1:${(gate.address() as AddressInfo).port}`,
    get waiting() {
      return held.length;
    },
    async open() {
      for (const response of held) response.end();
      gate.close();
      await once(gate, 'close');
    },
  };
}

/** Send the head of a request but for its last line, and get the rest of the exchange later. */
async function holdRequest(path: string): Promise<() => Promise<string>> {
  const socket = connect(server.port, '127.0.0.1');
  await once(socket, 'connect');
  const closed = once(socket, 'close');
  // Pending clients are notified; until then there is no listener.
  closed.catch(() => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${adminKey}\r\n`);
  return async () => {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk)).write('\r\n');
    await closed;
    return Buffer.concat(chunks).toString();
  };
}

const running = async (path: string): Promise<number> =>
  ((await ask(server, 'GET', `${path}/executions`)).body['data'] as { status: string }[]).filter(
    ({ status }) => status === 'running',
  ).length;

const helpersOf = (started: ServerProcess): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
        return Number(fields?.[1]) === started.process.pid;
      } catch {
        return false;
      }
    })
    .map(Number);

afterEach(async () => {
  await server.end('SIGKILL');
  await data.remove();
});

describe('the first SIGTERM', () => {
  it('lets executions finish, refuses new requests, and exits with 0', async () => {
    const gate = await startGate();
    const code = `export default async (_, { fetch }) => { await fetch('${gate.url}'); return { done: true } }`;
    const grant = `{ functions: ["*"], hosts: ["${gate.url}"], addresses: ["127.0.0.0/8"] }`;
    const path = await start({ ...echo, code }, `functions: { grants: [${grant}] }`);
    const answers = Promise.all(Array.from({ length: 3 }, () => ask(server, 'POST', `${path}/execute`, { input: {} })));
    await expect.poll(() => gate.waiting).toBe(3);
    const [readiness, list, liveness] = [
      await holdRequest('/readyz'),
      await holdRequest('/functions'),
      await holdRequest('/healthz'),
    ];
    // Only a connection that the server has seen is kept; the answer to a later request says that it has.
    await ask(server, 'GET', '/readyz');
    // A terminal and many supervisors signal the helpers of the server as well.
    for (const pid of helpersOf(server)) process.kill(pid, 'SIGINT');
    server.process.kill('SIGTERM');
    await server.logged('stopping');

    await expect(fetch(`${server.url}/readyz`)).rejects.toBeInstanceOf(TypeError);
    expect(await readiness()).toMatch(/^HTTP\/1\.1 503 .*"status":"draining"/s);
    expect(await list()).toMatch(/^HTTP\/1\.1 503 .*"code":"shutting_down"/s);
    expect(await liveness()).toMatch(/^HTTP\/1\.1 200 .*"status":"ok"/s);
    await gate.open();
    for (const answer of await answers) {
      expect([answer.status, answer.body['output'], answer.headers.get('connection')]).toEqual([
        200,
        { done: true },
        'close',
      ]);
    }
    expect(await server.exited).toEqual({ code: 0 });
    expect(server.log.at(-1)?.message).toBe('stopped');
    expect(server.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('turns /readyz to 503 while requests are served until the drain delay ends', async () => {
    const path = await start(echo, 'server: { drainDelayMs: 3000 }');
    server.process.kill('SIGTERM');
    await server.logged('stopping');
    await expect.poll(async () => (await ask(server, 'GET', '/readyz')).status).toBe(503);
    const { status, body, headers } = await ask(server, 'POST', `${path}/execute`, { input: { a: 1 } });
    expect([status, body['output'], headers.get('connection')]).toEqual([200, { a: 1 }, 'close']);
    expect(server.log.at(-1)?.message).not.toBe('stopped');
    expect(await server.exited).toEqual({ code: 0 });
  });

  it('interrupts executions at the drain timeout', async () => {
    const path = await start(waits(25_000), 'server: { drainTimeoutMs: 100 }');
    const execution = ask(server, 'POST', `${path}/execute`, { input: {} });
    await expect.poll(() => running(path)).toBe(1);
    expect(await server.end('SIGTERM')).toEqual({ code: 0 });
    expect(sandboxProcesses(data.path)).toEqual([]);
    const { status, body } = await execution;
    expect([status, body]).toMatchObject([503, { code: 'shutting_down', execution: { status: 'interrupted' } }]);
    // The row is written before the process ends, and not by the next start.
    const { id } = body['execution'] as { id: string };
    using database = new DatabaseSync(join(data.path, 'patchbay.db'));
    const row = database.prepare('SELECT status FROM executions WHERE id = ?').get(id);
    expect(row).toMatchObject({ status: 'interrupted' });
  });
});
