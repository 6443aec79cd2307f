import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiOptions } from './api.ts';
import { createFetchHandler } from './fetch-handler.ts';
import { createTestApp, type TestApp, tokenOf } from './fixtures/test-app.ts';
import { createNodeListener } from './node/node-listener.ts';

const origin = 'https://app.acme.com';
const authorization = `Bearer ${tokenOf('admin')}`;
let test: TestApp;
beforeAll(async () => {
  test = await createTestApp();
});
afterAll(() => test.app.host.stop(0));

type Send = (path: string, init: RequestInit) => Promise<Response>;

/** No raw socket needed: `fetch` in Node sends any Origin without checks. */
const binders = [
  [
    'createNodeListener',
    async (options: ApiOptions, use: (send: Send) => Promise<void>) => {
      const listener = createNodeListener(test.app, options);
      const server = createServer((message, response) => void listener(message, response));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      await use((path, init) => fetch(url + path, init));
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  ],
  [
    'createFetchHandler',
    async (options: ApiOptions, use: (send: Send) => Promise<void>) => {
      const handler = createFetchHandler(test.app, options);
      await use((path, init) => handler(new Request(`http://localhost${path}`, init)));
    },
  ],
] as const;

const preflight = (from: string, headers = 'authorization,content-type,idempotency-key') => ({
  method: 'OPTIONS',
  headers: { origin: from, 'access-control-request-method': 'POST', 'access-control-request-headers': headers },
});

describe.each(binders)('CORS over %s', (_name, serve) => {
  const cors = { origins: [origin, 'http://localhost:5173'] };

  it('a preflight request of an allowed origin needs no credentials', async () => {
    await serve({ cors }, async (send) => {
      const response = await send('/chat', preflight(origin));
      expect(response.status).toBe(204);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE',
        'access-control-allow-headers': 'authorization,content-type,idempotency-key',
        'access-control-max-age': '600',
        vary: 'Access-Control-Request-Headers, Origin',
      });
      expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    });
  });

  it('a response to an allowed origin can be read, and so can an error', async () => {
    await serve({ cors }, async (send) => {
      for (const [path, status] of [
        ['/functions', 200],
        ['/functions/function_0', 404],
        ['/nowhere', 404],
      ] as const) {
        const response = await send(path, { headers: { origin, authorization } });
        expect(response.status).toBe(status);
        expect(response.headers.get('access-control-allow-origin')).toBe(origin);
        expect(response.headers.get('access-control-expose-headers')).toContain('Request-Id');
        expect(response.headers.get('vary')).toContain('Origin');
      }
      const refused = await send('/functions', { headers: { origin } });
      expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, origin]);
    });
  });

  it.each(['https://evil.example', 'https://app.acme.com.evil.example', 'http://app.acme.com', 'null', '*'])(
    'a page from %s gets no permission',
    async (foreign) => {
      await serve({ cors }, async (send) => {
        const asked = await send('/chat', preflight(foreign));
        expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([401, null]);
        const read = await send('/functions', { headers: { origin: foreign, authorization } });
        expect([read.status, read.headers.get('access-control-allow-origin')]).toEqual([200, null]);
        expect(read.headers.get('vary')).toBe('Origin');
      });
    },
  );

  it('the origin * lets every page in, without cookies', async () => {
    await serve({ cors: { origins: ['*'], maxAgeSeconds: 5 } }, async (send) => {
      const response = await send('/chat', preflight('https://anywhere.example'));
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('access-control-max-age')).toBe('5');
    });
  });

  it('cookies are allowed if the host says so', async () => {
    await serve({ cors: { ...cors, credentials: true } }, async (send) => {
      const response = await send('/functions', { headers: { origin, authorization } });
      expect(response.headers.get('access-control-allow-credentials')).toBe('true');
    });
  });

  it('without the option, no response mentions origins', async () => {
    await serve({}, async (send) => {
      const asked = await send('/chat', preflight(origin));
      expect(asked.status).toBe(401);
      for (const response of [asked, await send('/functions', { headers: { origin, authorization } })]) {
        expect([...response.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
      }
    });
  });

  it('a preflight request cannot inject headers', async () => {
    await serve({ cors }, async (send) => {
      const response = await send('/chat', preflight(origin, 'a: b'));
      expect([response.status, response.headers.get('access-control-allow-headers')]).toEqual([204, null]);
    });
  });
});

it.each([
  [{ origins: ['app.acme.com'] }],
  [{ origins: ['https://app.acme.com/'] }],
  [{ origins: ['*'], credentials: true }],
])('cors %j is refused at startup', (cors) => {
  expect(() => createFetchHandler(test.app, { cors })).toThrow(TypeError);
});
