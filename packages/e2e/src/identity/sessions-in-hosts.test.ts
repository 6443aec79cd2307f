import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Principal, tenantId } from '@patchbay/core/plugin';
import { createNodeListener, operations, sessionOperations } from '@patchbay/http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { adminKey, type Identity, startIdentity } from './fixtures/start-identity.ts';

// A host that embeds Patchbay under a prefix, lets pages of another origin in with cookies, and knows some callers itself.

const allowed = 'https://app.acme.com';
const user: Principal = { id: 'user|42', kind: 'user', tenant: tenantId('acme'), scopes: ['functions:read'] };
let identity: Identity;
let url: string;
let close: () => Promise<void>;

beforeAll(async () => {
  identity = await startIdentity();
  const handle = createNodeListener(identity.app, {
    basePath: '/patchbay',
    operations: [...operations, ...sessionOperations],
    trustedOrigins: [allowed],
    cors: { origins: [allowed], credentials: true },
    caller: ({ headers }) => (headers['x-user'] === '42' ? user : undefined),
  });
  const server = createServer({ keepAliveTimeout: 0 }, (message, response) => void handle(message, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await identity.app.host.stop(0);
  };
});
afterAll(() => close());

async function send(method: string, path: string, headers: Readonly<Record<string, string>>) {
  const response = await fetch(`${url}/patchbay${path}`, { method, headers, redirect: 'manual' });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: text === '' ? undefined : JSON.parse(text) };
}

const page = (more: Readonly<Record<string, string>> = {}) => ({ 'patchbay-console': '1', origin: url, ...more });

async function signIn(): Promise<string> {
  const { headers } = await send('POST', '/console/session', page({ authorization: `Bearer ${adminKey}` }));
  return headers.get('set-cookie')?.split(';')[0] ?? '';
}

it('A session works in an embedding host, under its prefix, for reading and for changing', async () => {
  const cookie = await signIn();
  expect((await send('GET', '/functions', page({ cookie }))).status).toBe(200);
  expect((await send('GET', '/console/session', page({ cookie }))).json).toMatchObject({ id: 'key_bootstrap' });
  expect((await send('DELETE', '/console/session', page({ cookie }))).status).toBe(200);
  expect((await send('GET', '/functions', page({ cookie }))).status).toBe(401);
});

it('A page with cross-origin access cannot use the session of the console, nor start one', async () => {
  const cookie = await signIn();
  const preflight = await fetch(`${url}/patchbay/functions`, {
    method: 'OPTIONS',
    headers: {
      origin: allowed,
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'patchbay-console',
    },
  });
  expect(preflight.status).toBe(204);
  const asked = await Promise.all([
    send('GET', '/functions', page({ cookie, origin: allowed })),
    send('DELETE', '/console/session', page({ cookie, origin: allowed, 'sec-fetch-site': 'same-site' })),
    send('POST', '/console/session', page({ authorization: `Bearer ${adminKey}`, origin: allowed })),
  ]);
  expect(asked.map(({ status, json }) => [status, json.code])).toEqual(
    Array.from({ length: 3 }, () => [403, 'cross_site_request']),
  );
  expect(asked.map(({ headers }) => headers.get('set-cookie'))).toEqual([null, null, null]);
  expect((await send('GET', '/functions', page({ cookie }))).status).toBe(200);
});

it('A caller whom the host knows is signed in without a session, and goes before one', async () => {
  const cookie = await signIn();
  const known = await send('GET', '/console/session', page({ cookie, 'x-user': '42' }));
  expect(known.json).toMatchObject({ id: 'user|42', name: 'user|42', scopes: ['functions:read'], tenant: 'acme' });
  const refused = await send('POST', '/console/session', page({ 'x-user': '42' }));
  expect([refused.status, refused.json.code]).toEqual([400, 'invalid_request']);
});

it('A session ends with its key on a real clock', async () => {
  const { id, key } = await identity.makeKey({ scopes: ['functions:read'] });
  const { headers } = await send('POST', '/console/session', page({ authorization: `Bearer ${key}` }));
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
  expect((await send('GET', '/functions', page({ cookie }))).status).toBe(200);
  await identity.send('DELETE', `/keys/${id}`);
  await expect.poll(async () => (await send('GET', '/functions', page({ cookie }))).json.code).toBe('key_revoked');
});
