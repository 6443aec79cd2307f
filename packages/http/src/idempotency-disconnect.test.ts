import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestApp, sample, type TestApp, tokenOf } from './fixtures/test-app.ts';
import { createNodeListener } from './node/node-listener.ts';

let test: TestApp;
let url: string;
let close: () => Promise<void>;
/** The newest connection, as the server has it. */
let connection: Socket;

beforeAll(async () => {
  test = await createTestApp();
  const server = createServer(createNodeListener(test.app));
  server.on('connection', (socket) => {
    connection = socket;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await test.app.stop(0);
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

it('works on when the client of a request with a key leaves, and stops without one', async () => {
  const created = (await (await post('/functions', { ...sample, code: 'wait' })).json()) as { id: string };
  const path = `/functions/${created.id}/execute`;
  const body = { input: { text: 'a' } };
  for (const key of ['k1', '']) {
    const waiting = test.nextWaiting();
    const left = request(url + path, { method: 'POST', headers: headers(key), agent: false }).on('error', () => {});
    left.end(JSON.stringify(body));
    const signal = await waiting;
    const logged = test.log.filter(({ message }) => message === 'request').length;
    const closed = once(connection, 'close');
    left.destroy();
    await closed;
    if (key === '') {
      await expect.poll(() => signal.aborted).toBe(true);
      await expect.poll(() => test.log.filter(({ message }) => message === 'request').length).toBe(logged + 1);
      expect(test.log.findLast(({ message }) => message === 'request')).toMatchObject({ status: 499 });
    } else {
      const again = await post(path, body, key);
      expect([again.status, ((await again.json()) as { code: string }).code]).toEqual([409, 'idempotency_in_progress']);
      expect(signal.aborted).toBe(false);
    }
  }
});
