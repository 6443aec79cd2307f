import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PatchbayError, type Principal, tenantId } from '@patchbay/core/plugin';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createFetchHandler } from './fetch-handler.ts';
import { createTestApp, sample, type TestApp, tokenOf } from './fixtures/test-app.ts';
import { createNodeListener } from './node/node-listener.ts';

// Hosts that know who is calling, and pass it on in `caller`.

/** A session of the host, as the tests send it. */
function principalOf(session: string | undefined): Principal | undefined {
  if (session === undefined) return undefined;
  if (session === 'locked') throw new PatchbayError('insufficient_scope', 'this account is locked');
  if (session === 'broken') throw new Error('secret of the session store');
  if (session === 'nobody') return { id: '', kind: 'user', tenant: tenantId('acme'), scopes: [] };
  return {
    id: `user|${session}`,
    kind: 'user',
    tenant: tenantId('acme'),
    scopes: ['functions:read', 'functions:write'],
  };
}

let test: TestApp;
let close: () => Promise<void>;
let url: string;
beforeAll(async () => {
  test = await createTestApp();
  const listener = createNodeListener(test.app, {
    trustedOrigins: ['https://app.acme.com'],
    caller: (_message, host: { readonly session: string | undefined }) => principalOf(host.session),
  });
  const server = createServer((message, response) => {
    void listener(message, response, { session: message.headers['x-session'] as string | undefined });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await test.app.host.stop(0);
  };
});
afterAll(() => close());

const binders = [
  ['createNodeListener', (path: string, init: RequestInit) => fetch(url + path, init)],
  [
    'createFetchHandler',
    (path: string, init: RequestInit) => {
      const caller = (_request: Request, session: string | undefined) => principalOf(session);
      const handler = createFetchHandler(test.app, { caller, trustedOrigins: ['https://app.acme.com'] });
      const request = new Request(url + path, init);
      request.headers.set('host', new URL(url).host);
      return handler(request, request.headers.get('x-session') ?? undefined);
    },
  ],
] as const;

describe.each(binders)('a caller whom the host knows: %s', (_name, send) => {
  const create = (headers: Record<string, string>) =>
    send('/functions', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(sample),
    });
  const codeOf = async (response: Response) => ((await response.json()) as { code?: string }).code;

  it('uses the scopes and tenant of the host, without a token', async () => {
    const created = await create({ 'x-session': '42' });
    expect(created.status).toBe(201);
    const path = created.headers.get('location') ?? '';
    const other = { authorization: `Bearer ${tokenOf('stranger')}` };
    expect((await send(path, { headers: { 'x-session': '43' } })).status).toBe(200);
    expect((await send(path, { headers: other })).status).toBe(404);
    const run = { method: 'POST', headers: { 'x-session': '42', 'content-type': 'application/json' }, body: '{}' };
    expect(await codeOf(await send(`${path}/execute`, run))).toBe('insufficient_scope');
    expect(test.log).toContainEqual(expect.objectContaining({ caller: 'user|42', tenant: 'acme', status: 201 }));
  });

  it('a session takes precedence over a token; without a session the token counts, and without both the response is 401', async () => {
    const admin = { authorization: `Bearer ${tokenOf('admin')}` };
    expect(await codeOf(await send('/keys', { headers: { ...admin, 'x-session': '42' } }))).toBe('insufficient_scope');
    expect((await send('/functions', { headers: admin })).status).toBe(200);
    expect(await codeOf(await send('/functions', {}))).toBe('unauthenticated');
  });

  it('receives the refusal of the host, and 500 for an error of the host', async () => {
    const locked = await send('/functions', { headers: { 'x-session': 'locked' } });
    expect([locked.status, await codeOf(locked)]).toEqual([403, 'insufficient_scope']);
    for (const session of ['broken', 'nobody']) {
      const answer = await send('/functions', { headers: { 'x-session': session } });
      const text = await answer.text();
      expect([answer.status, text]).toEqual([500, expect.stringContaining('"internal_error"')]);
      expect(text).not.toMatch(/secret|host named/);
    }
    const errors = test.log.filter(({ level }) => level === 'error').map(({ error }) => String(error));
    expect(errors).toContainEqual(
      'TypeError: the principal is not valid: its id must have 1 to 255 characters, none of them a control character',
    );
  });

  it.each([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site', origin: 'https://app.acme.com.evil.example' },
  ])('rejects requests from a page of another origin: %j', async (headers) => {
    const refused = await create({ 'x-session': '42', ...headers });
    expect([refused.status, await codeOf(refused)]).toEqual([403, 'cross_site_request']);
    expect((await send('/functions', { headers: { 'x-session': '42', ...headers } })).status).toBe(200);
    expect((await create({ authorization: `Bearer ${tokenOf('admin')}`, ...headers })).status).toBe(201);
  });

  it('a session may be used by pages from the same origin, and from those that the host trusts', async () => {
    for (const headers of [
      { 'sec-fetch-site': 'same-origin', origin: 'https://whatever.example' },
      { 'sec-fetch-site': 'none' },
      { origin: url },
      { 'sec-fetch-site': 'cross-site', origin: 'https://app.acme.com' },
    ] as Record<string, string>[]) {
      expect([headers, (await create({ 'x-session': '42', ...headers })).status]).toEqual([headers, 201]);
    }
  });
});

it('createApi refuses options that make no sense', () => {
  expect(() => createFetchHandler(test.app, { trustedOrigins: ['app.acme.com'] })).toThrow(
    'trustedOrigins must contain',
  );
  expect(() => createFetchHandler(test.app, { trustedOrigins: ['https://app.acme.com/'] })).toThrow(TypeError);
  expect(() => createFetchHandler(test.app, { mountPath: 'api/' })).toThrow(
    'mountPath must be empty or a path such as',
  );
});

describe('a client that leaves while the host identifies the caller', () => {
  const executor = { ...principalOf('42'), scopes: ['functions:execute'] } as Principal;
  const isCounted = expect.objectContaining({ route: '/functions/:id/execute', status: 499 });
  let path: string;
  beforeAll(async () => {
    const headers = { authorization: `Bearer ${tokenOf('admin')}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ ...sample, code: 'wait' });
    const created = await fetch(`${url}/functions`, { method: 'POST', headers, body });
    path = `${created.headers.get('location')}/execute`;
  });
  beforeEach(() => {
    test.log.length = 0;
  });

  it('has nothing executed behind a body parser of the host', async () => {
    const asked = Promise.withResolvers<void>();
    const listener = createNodeListener(test.app, {
      async caller(_message, { left }: { readonly left: Promise<unknown> }) {
        asked.resolve();
        await left;
        return executor;
      },
    });
    const handle = async (message: IncomingMessage, response: ServerResponse) => {
      let text = '';
      for await (const chunk of message) text += String(chunk);
      await listener(Object.assign(message, { body: JSON.parse(text) }), response, { left: once(response, 'close') });
    };
    const server = createServer((message, response) => void handle(message, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const headers = { 'content-type': 'application/json' };
    const left = send({ port, host: '127.0.0.1', path, method: 'POST', headers }).on('error', () => {});
    left.end('{"input":{"text":"x"}}');
    await asked.promise;
    left.destroy();
    await expect.poll(() => test.log).toContainEqual(isCounted);
    expect(await executionsOf(path)).toBe(0);
    server.close();
  });

  it('has nothing executed by a fetch handler', async () => {
    const controller = new AbortController();
    const handler = createFetchHandler(test.app, {
      async caller() {
        controller.abort();
        return executor;
      },
    });
    const headers = { 'content-type': 'application/json', host: 'localhost' };
    const init = { method: 'POST', headers, body: '{"input":{"text":"x"}}', signal: controller.signal };
    await handler(new Request(url + path, init));
    expect(test.log).toContainEqual(isCounted);
    expect(await executionsOf(path)).toBe(0);
  });

  async function executionsOf(of: string): Promise<number> {
    const headers = { authorization: `Bearer ${tokenOf('admin')}` };
    const response = await fetch(`${url}${of.replace(/execute$/, 'executions')}`, { headers });
    return ((await response.json()) as { data: unknown[] }).data.length;
  }
});
