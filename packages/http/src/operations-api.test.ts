import { expect, it } from 'vitest';
import { createApi } from './api.ts';
import { createFetchHandler } from './fetch-handler.ts';
import { DirectRequest } from './fixtures/direct-request.ts';
import { createTestApp, sample, tokenOf } from './fixtures/test-app.ts';
import { defineOperation } from './operation.ts';

const whoAmI = defineOperation({
  id: 'whoAmI',
  method: 'GET',
  path: '/me',
  area: 'functions',
  scope: 'functions:read',
  summary: 'Tell who is calling',
  success: { status: 200, description: 'The id of the caller.' },
  errors: [],
  handle: async ({ context }) => ({ json: { id: context.caller.id } }),
});

it('an API serves the operations that the host chose or defined, and nothing else', async () => {
  const { app } = await createTestApp();
  const handler = createFetchHandler(app, { operations: ['executeFunction', whoAmI, 'getOpenApi'] });
  const headers = { authorization: `Bearer ${tokenOf('admin')}` };
  const ask = (method: string, path: string) => handler(new Request(`http://localhost${path}`, { method, headers }));
  expect(await (await ask('GET', '/me')).json()).toEqual({ id: 'key_acme_1' });
  const execute = (await (await ask('POST', '/functions/function_x/execute')).json()) as { code: string };
  expect(execute.code).toBe('unsupported_media_type');
  expect([(await ask('GET', '/functions')).status, (await ask('GET', '/healthz')).status]).toEqual([404, 404]);
  const { paths } = (await (await ask('GET', '/openapi.json')).json()) as { paths: object };
  expect(Object.keys(paths)).toEqual(['/functions/{id}/execute', '/me', '/openapi.json']);
  await app.host.stop(0);
});

it('a request waits for those that arrive in the same turn of the event loop', async () => {
  const { app } = await createTestApp();
  let begun = 0;
  const note = defineOperation({
    ...whoAmI,
    handle: async () => {
      begun += 1;
      return { json: {} };
    },
  });
  const api = createApi(app, { operations: [note] });
  const send = () => api.respond(new DirectRequest('GET', '/me', tokenOf('admin')));
  const first = send();
  // More steps than a request has without one that waits for the event loop.
  for (let step = 0; step < 1_000; step += 1) await Promise.resolve();
  expect(begun).toBe(0);
  await Promise.all([first, send()]);
  expect(begun).toBe(2);
  await app.host.stop(0);
});

it('two apps run side by side, each with its own callers and data', async () => {
  const [one, other] = await Promise.all([createTestApp(), createTestApp()]);
  const handlers = [one, other].map(({ app }, index) => createFetchHandler(app, { basePath: `/app-${index}` }));
  const headers = { authorization: `Bearer ${tokenOf('admin')}`, 'content-type': 'application/json' };
  const body = JSON.stringify(sample);
  const created = await handlers[0]?.(
    new Request('http://localhost/app-0/functions', { method: 'POST', headers, body }),
  );
  expect(created?.headers.get('location')).toMatch(/^\/app-0\/functions\/function_/);
  const totals = await Promise.all(
    handlers.map(async (handler, index) => {
      const page = await handler(new Request(`http://localhost/app-${index}/functions`, { headers }));
      return ((await page.json()) as { meta: { total: number } }).meta.total;
    }),
  );
  expect(totals).toEqual([1, 0]);
  await one.app.host.stop();
  const alive = await handlers[1]?.(new Request('http://localhost/app-1/functions', { headers }));
  const stopped = await handlers[0]?.(new Request('http://localhost/app-0/functions', { headers }));
  expect([alive?.status, stopped?.status]).toEqual([200, 503]);
  await other.app.host.stop();
});
