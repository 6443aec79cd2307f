import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { echo } from '../driver/sample-functions.ts';
import { sandboxProcesses } from '../driver/sandbox-processes.ts';
import { adminKey } from '../driver/server-process.ts';
import { useServer } from '../driver/use-server.ts';

// Clients that leave before they have their answer.

// Without spares, whatever process there is belongs to an execution.
const server = useServer({
  config: `patchbay: 1
storage: { use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }
executor: { use: "@patchbay/executor-deno", with: { isolation: cold } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
secretFile: ./secret
`,
});
const waits = { ...echo, code: 'export default () => new Promise((resolve) => setTimeout(() => resolve({}), 9_000))' };
const loops = { ...echo, code: 'export default () => { for (;;); }' };

function request(method: string, path: string, body: string, length = body.length): string {
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${adminKey}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
}

async function open(): Promise<Socket> {
  const socket = connect(server.process.port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

async function create(source: object): Promise<string> {
  return `/functions/${String((await server.ask('POST', '/functions', source)).body['id'])}`;
}

const executions = async (path: string): Promise<readonly { id: string; status: string }[]> =>
  (await server.ask('GET', `${path}/executions`)).body['data'] as { id: string; status: string }[];

describe('a client that leaves within a body', () => {
  it('leaves everything unchanged', async () => {
    const before = (await server.ask('GET', '/functions')).body['meta'];
    const body = JSON.stringify(echo);
    for (const end of ['destroy', 'resetAndDestroy', 'end'] as const) {
      const socket = await open();
      socket.write(request('POST', '/functions', body.slice(0, -1), body.length));
      socket[end]();
      if (!socket.destroyed) await once(socket.resume(), 'close');
    }
    expect((await server.ask('GET', '/functions')).body['meta']).toEqual(before);
  });
});

describe('a client that leaves within an execution', () => {
  it.each([
    ['waits', waits, 'destroy'],
    ['waits', waits, 'resetAndDestroy'],
    ['loops', loops, 'destroy'],
  ] as const)('that %s ends it (%#)', async (_, source, end) => {
    const path = await create(source);
    const socket = await open();
    socket.write(request('POST', `${path}/execute`, '{"input":{}}'));
    await expect.poll(() => sandboxProcesses(server.process.data)).not.toEqual([]);
    socket[end]();
    await expect.poll(async () => (await executions(path))[0]?.status).toBe('cancelled');
    await expect.poll(() => sandboxProcesses(server.process.data)).toEqual([]);
    const [execution] = await executions(path);
    const { body } = await server.ask('GET', `/executions/${execution?.id}`);
    expect(body).toMatchObject({ status: 'cancelled', error: { code: 'cancelled' }, completedAt: expect.any(String) });
    expect(body['output']).toBeUndefined();
  });

  it('that waits for its turn ends it', async () => {
    const path = await create(waits);
    const sockets = await Promise.all(Array.from({ length: 40 }, open));
    for (const socket of sockets) socket.write(request('POST', `${path}/execute`, '{"input":{}}'));
    await expect.poll(async () => (await executions(path)).length, { interval: 5 }).toBeGreaterThan(16);
    for (const socket of sockets) socket.destroy();
    // The server may read some of the requests only now.
    const others = async () => (await executions(path)).filter(({ status }) => status !== 'cancelled');
    await expect.poll(others).toEqual([]);
    await expect.poll(() => sandboxProcesses(server.process.data)).toEqual([]);
    await expect.poll(others).toEqual([]);
  });

  it('leaves nothing on disk but the folder of the next run', async () => {
    const { data } = server.process;
    const left = () => {
      const folders = readdirSync(data).filter((name) => name.startsWith('patchbay-'));
      return folders.map((name) => readdirSync(`${data}/${name}`));
    };
    // Sockets are removed in the background, once their processes are gone.
    await expect.poll(left).toEqual([['bootstrap', 'owner']]);
  });
});

it('a client that never reads a large response delays no other client', async () => {
  const path = await create({ ...echo, code: 'export default () => ({ a: "x".repeat(1_000_000) })' });
  const { body } = await server.ask('POST', `${path}/execute`, { input: {} });
  const sockets = await Promise.all(Array.from({ length: 20 }, open));
  for (const socket of sockets) {
    socket.pause();
    socket.write(request('GET', `/executions/${String(body['id'])}`, '').replace('Content-Length: 0\r\n', ''));
  }
  expect((await server.ask('GET', '/functions')).status).toBe(200);
  for (const socket of sockets) socket.destroy();
  expect((await server.ask('GET', `/executions/${String(body['id'])}`)).status).toBe(200);
});
