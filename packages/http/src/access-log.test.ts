import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AccessLogMode } from './exchange.ts';
import { createFetchHandler } from './fetch-handler.ts';
import { createTestApp, type TestApp, tokenOf } from './fixtures/test-app.ts';

let test: TestApp;

beforeAll(async () => {
  test = await createTestApp();
});
afterAll(() => test.app.host.stop(0));

/** The statuses of logged requests, after `found` successful ones, one for a function that is missing, and one of a health check. */
async function statusesAfter(found: number, accessLog?: AccessLogMode) {
  const api = createFetchHandler(test.app, accessLog === undefined ? {} : { accessLog });
  const before = test.log.length;
  const headers = { authorization: `Bearer ${tokenOf('admin')}` };
  const get = async (path: string) => await (await api(new Request(`http://localhost${path}`, { headers }))).text();
  for (let sent = 0; sent < found; sent += 1) await get('/functions');
  await get('/functions/function_none');
  await get('/healthz');
  const entries = test.log.slice(before).filter(({ message }) => message === 'request');
  return entries.map(({ level, status }) => `${level} ${Number(status)}`);
}

it('an access log has every request, and those without credentials at debug', async () => {
  expect(await statusesAfter(2)).toEqual(['info 200', 'info 200', 'info 404', 'debug 200']);
  expect(await statusesAfter(1, 'all')).toEqual(['info 200', 'info 404', 'debug 200']);
});

it('an access log of errors omits requests that succeeded', async () => {
  expect(await statusesAfter(3, 'errors')).toEqual(['info 404', 'debug 200']);
});

it('an access log of a sample has all errors, and one in a hundred of the others', async () => {
  expect(await statusesAfter(101, 'sample')).toEqual(['info 200', 'info 200', 'info 404', 'debug 200']);
});
