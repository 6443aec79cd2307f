import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestApp, sample, type TestApp, tokenOf } from './fixtures/test-app.ts';
import { createNodeListener } from './node/node-listener.ts';

let test: TestApp;
let url: string;
let close: () => Promise<void>;

beforeAll(async () => {
  test = await createTestApp({ limits: { key: { concurrent: { execute: 1 } } } });
  const listener = createNodeListener(test.app);
  const server = createServer((message, response) => void listener(message, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await test.app.host.stop(0);
  };
});
afterAll(() => close());

const headers = { authorization: `Bearer ${tokenOf('admin')}`, 'content-type': 'application/json' };

async function post(path: string, body: unknown): Promise<{ readonly status: number; readonly json: object }> {
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, json: (await response.json()) as object };
}

it('the slot of a request whose client leaves is freed', async () => {
  const body = { input: { text: 'a' } };
  const pathOf = async (code: string) =>
    `/functions/${Reflect.get((await post('/functions', { ...sample, code })).json, 'id')}/execute`;
  const [wait, echo] = [await pathOf('wait'), await pathOf('echo')];
  for (let count = 0; count < 3; count += 1) {
    const waiting = test.nextWaiting();
    const left = request(url + wait, { method: 'POST', headers, agent: false }).on('error', () => {});
    left.end(JSON.stringify(body));
    await waiting;
    expect((await post(echo, body)).status).toBe(429);
    left.destroy();
    await expect.poll(async () => (await post(echo, body)).status).toBe(200);
  }
});
