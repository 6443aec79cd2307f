import { createServer } from 'node:http';
import { createNodeListener } from '@patchbay/http';
import { createTestApp, serveLocally } from '@patchbay/testing';
import express, { type ErrorRequestHandler } from 'express';
import { expect, it } from 'vitest';

it('Patchbay answers its own errors; errors of the host stay with its error handler', async () => {
  const test = await createTestApp();
  const handled: unknown[] = [];
  const onError: ErrorRequestHandler = (error, _request, response, _next) => {
    handled.push(error);
    response.status(418).send('the host has handled it');
  };
  const host = express()
    .use('/broken', () => {
      throw new Error('of the host');
    })
    .use(
      '/patchbay',
      createNodeListener(test.app, {
        caller({ headers }) {
          if (headers['x-session'] === 'broken') throw new Error('the store of sessions is gone');
          return undefined;
        },
      }),
    )
    .use(onError);
  const served = await serveLocally(test.app, createServer(host), '/patchbay');
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(served.url + path, { headers });
    const text = await response.text();
    return [response.status, text.startsWith('{') ? (JSON.parse(text) as { code: string }).code : text];
  };
  const authorization = `Bearer ${test.token()}`;
  expect(await ask('/no-such-path', { authorization })).toEqual([404, 'route_not_found']);
  expect(await ask('/functions')).toEqual([401, 'unauthenticated']);
  expect(await ask('/functions', { 'x-session': 'broken' })).toEqual([500, 'internal_error']);
  expect(test.log.filter(({ level }) => level === 'error')).toHaveLength(1);
  expect(handled).toEqual([]);
  expect(await ask('/../broken')).toEqual([418, 'the host has handled it']);
  expect(handled).toHaveLength(1);
  await served.stop();
});
