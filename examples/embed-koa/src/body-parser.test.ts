import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { createNodeListener } from '@patchbay/http';
import { apiConformance, createTestApp } from '@patchbay/testing';
import Koa, { type Context } from 'koa';
import { afterAll, describe, it } from 'vitest';

// Behind a body parser that leaves its result where those of Koa do, in `context.request.body`.

interface ParsedContext extends Context {
  readonly request: Context['request'] & { body?: unknown };
}

const test = await createTestApp();
const host = new Koa();
const patchbay = createNodeListener(test.app, {
  mountPath: '/patchbay',
  body: (_, { request }: ParsedContext) => request.body,
});
host.use(async (context: ParsedContext) => {
  if (context.is('json')) context.request.body = await json(context.req);
  // As koa-mount does, without a trace in the message.
  context.url = context.url.replace(/^\/patchbay/, '');
  context.respond = false;
  await patchbay(context.req, context.res, context);
});
const server = host.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/patchbay`;

apiConformance({ describe, it }, { api: () => ({ url, token: test.token() }), topics: ['functions', 'gateway'] });

afterAll(async () => {
  await test.app.host.stop(0);
  server.closeAllConnections();
  server.close();
});
