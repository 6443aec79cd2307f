import { PatchbayError } from '@patchbay/core';
import { expect, it } from 'vitest';
import type { OperationMiddleware } from './api.ts';
import { createTestApp } from './fixtures/test-app.ts';
import { transports } from './fixtures/transports.ts';

it.each(transports)('runs layers around the operations over %s', async (_name, open) => {
  const seen: string[] = [];
  const outer: OperationMiddleware = async ({ operation, request }, next) => {
    seen.push(`${operation.id} by ${request.context.caller.id}`);
    const reply = await next();
    return { ...reply, headers: { ...reply.headers, 'X-Layer': 'outer' } };
  };
  const inner: OperationMiddleware = async ({ operation }, next) => {
    if (operation.id === 'getFunction') throw new PatchbayError('storage_unavailable', 'not now');
    return await next();
  };
  const { app } = await createTestApp();
  const client = await open(app, { middleware: [outer, inner] });
  const list = await client.send('GET', '/functions');
  expect([list.status, list.headers.get('x-layer')]).toEqual([200, 'outer']);
  expect(await client.send('GET', '/functions/x')).toMatchObject({ json: { code: 'storage_unavailable' } });
  await client.send('GET', '/functions', { as: null });
  await client.send('GET', '/healthz', { as: null });
  expect(seen).toEqual(['listFunctions by key_acme_1', 'getFunction by key_acme_1']);
  await client.close();
  await app.host.stop(0);
});
