import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestApp, sample, type TestApp, tokenOf } from './fixtures/test-app.ts';
import { createNodeListener } from './node/node-listener.ts';

let test: TestApp;
let url: string;
let close: () => Promise<void>;
/** The newest connection, as the server sees it. */
let connection: Socket;

beforeAll(async () => {
  test = await createTestApp();
  const listener = createNodeListener(test.app);
  const server = createServer((message, response) => void listener(message, response));
  server.on('connection', (socket) => {
    connection = socket;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await test.app.host.stop(0);
  };
});
afterAll(() => close());

const headers = (key: string) => ({
  authorization: `Bearer ${tokenOf('admin')}`,
  'content-type': 'application/json',
  ...(key !== '' && { 'idempotency-key': key }),
});

async function post(path: string, body: unknown, key = ''): Promise<Response> {
  return await fetch(url + path, { method: 'POST', headers: headers(key), body: JSON.stringify(body) });
}

interface Execution {
  readonly path: string;
  readonly body: object;
}

/** Requests that execute a function: by its id, or as the model of a chat. */
const executing = {
  execution: (id: string): Execution => ({ path: `/functions/${id}/execute`, body: { input: { text: 'a' } } }),
  chat: (_id: string, name: string): Execution => ({
    path: '/chat',
    body: { model: `fn/${name}`, messages: [{ role: 'user', content: 'a' }] },
  }),
};

/** Have a client leave while its request is run. */
async function leave(key: string, kind: keyof typeof executing = 'execution') {
  const name = `waits ${key}`.trim();
  const created = (await (await post('/functions', { ...sample, name, code: 'wait' })).json()) as { id: string };
  const { path, body } = executing[kind](created.id, name);
  const waiting = test.nextWaiting();
  const left = request(url + path, { method: 'POST', headers: headers(key), agent: false }).on('error', () => {});
  left.end(JSON.stringify(body));
  const signal = await waiting;
  const closed = once(connection, 'close');
  left.destroy();
  await closed;
  return { signal, again: () => post(path, body, key) };
}

it('the server keeps working when the client of a request with a key leaves', async () => {
  const { signal, again } = await leave('k1');
  const answer = await again();
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([409, 'idempotency_in_progress']);
  expect(signal.aborted).toBe(false);
});

it.each(['execution', 'chat'] as const)(
  'a keyed %s ends when its caller cancels it, and counts as run',
  async (kind) => {
    const key = `cancelled-${kind}`;
    const { signal, again } = await leave(key, kind);
    const cancel = async (which: string) => {
      const init = {
        method: 'DELETE',
        headers: { authorization: `Bearer ${tokenOf('admin')}`, 'idempotency-key': which },
      };
      return await fetch(`${url}/requests`, init);
    };
    expect(await (await cancel('another')).json()).toEqual({ cancelled: 0 });
    expect(signal.aborted).toBe(false);
    const answer = await cancel(key);
    expect([answer.status, await answer.json()]).toEqual([200, { cancelled: 1 }]);
    expect(signal.aborted).toBe(true);
    await expect
      .poll(async () => ((await (await again()).json()) as { code: string }).code)
      .toBe('idempotency_answer_lost');
    expect(await (await cancel(key)).json()).toEqual({ cancelled: 0 });
  },
);

it('a cancellation without a key is refused', async () => {
  const init = { method: 'DELETE', headers: { authorization: `Bearer ${tokenOf('admin')}` } };
  const answer = await fetch(`${url}/requests`, init);
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([400, 'invalid_request']);
});

it('the server stops working when the client of a request without a key leaves', async () => {
  const { signal } = await leave('');
  await expect.poll(() => signal.aborted).toBe(true);
});
