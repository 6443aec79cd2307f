import { once } from 'node:events';
import { connect, constants, createServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { createTestApp, sample, tokenOf } from '../fixtures/test-app.ts';
import { createNodeListener, type NodeListener } from './node-listener.ts';

it('the listener serves HTTP/2 through the compatibility layer of Node, and notices clients that leave', async () => {
  const test = await createTestApp();
  const listener = createNodeListener(test.app);
  const handle = (message: Http2ServerRequest, response: Http2ServerResponse) =>
    void listener(...([message, response] as unknown as Parameters<NodeListener>));
  const server = createServer(handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const post = (path: string, body: unknown) =>
    session
      .request({
        ':method': 'POST',
        ':path': path,
        authorization: `Bearer ${tokenOf('admin')}`,
        'content-type': 'application/json',
      })
      .end(JSON.stringify(body));

  const created = post('/functions', { ...sample, code: 'wait' });
  const [head] = (await once(created, 'response')) as [Record<string, string>];
  expect(head).toMatchObject({ ':status': 201, location: expect.stringMatching(/^\/functions\//) });
  created.resume();
  await once(created, 'close');

  const waiting = test.nextWaiting();
  const left = post(`${head['location']}/execute`, { input: { text: 'x' } });
  const signal = await waiting;
  const aborted = once(signal, 'abort');
  left.close(constants.NGHTTP2_CANCEL);
  await aborted;
  expect(signal.reason).toMatchObject({ code: 'client_closed_request' });

  session.close();
  server.close();
  await test.app.host.stop(0);
});
