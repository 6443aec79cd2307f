import type { AddressInfo } from 'node:net';
import Router from '@koa/router';
import Koa from 'koa';

// The baseline of `http-read.ts`: Koa and its router alone, which serialize the same responses for each request.
const answers = JSON.parse(process.argv[2] ?? '{}') as { one: object; list: object };
const router = new Router();
router.get('/functions', (context) => {
  context.body = answers.list;
});
router.get('/functions/:id', (context) => {
  context.body = answers.one;
});
const server = new Koa().use(router.routes()).listen(0, '127.0.0.1', () => {
  process.stderr.write(`Koa listens on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
