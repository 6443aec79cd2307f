import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type App, createApp } from '@patchbay/core';
import { createFetchHandler, createNodeListener, operations } from '@patchbay/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consoleOperations } from './console-operations.ts';

const built = fileURLToPath(new URL('../built/', import.meta.url));
const buildScript = fileURLToPath(new URL('../scripts/build.ts', import.meta.url));
const accept = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8';
const silent = () => undefined;

let app: App;
let script: string;

beforeAll(async () => {
  execFileSync(process.execPath, ['--conditions=source', buildScript]);
  script = readdirSync(built).find((name) => /^main-.*\.js$/.test(name)) ?? '';
  app = await createApp({ patchbay: 1 }, { logger: { debug: silent, info: silent, warn: silent, error: silent } });
});
afterAll(() => app.host.stop(0));

const withConsole = [...operations, ...consoleOperations];

function get(path: string, headers: Readonly<Record<string, string>> = {}, options: object = {}, method = 'GET') {
  const handle = createFetchHandler(app, { operations: withConsole, home: 'getConsole', ...options });
  return Promise.resolve(handle(new Request(`http://localhost${path}`, { method, headers })));
}

/** On a socket, where paths are taken as they were sent. */
async function listen(prepare: (message: IncomingMessage) => void = silent) {
  const listener = createNodeListener(app, { operations: withConsole });
  const server = createServer((message, response) => {
    prepare(message);
    void listener(message, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    close: () => server.close(),
    async get(path: string) {
      const sent = request({ port, path, host: '127.0.0.1', agent: false }).end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      return { status: response.statusCode, text: await text(response) };
    },
  };
}

describe('the page of the console', () => {
  it('may load nothing but files of the server, run no inline script, and be in no frame', async () => {
    const { status, headers } = await get('/console');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = new Set((headers.get('content-security-policy') ?? '').split('; '));
    expect(policy).toEqual(
      new Set([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'self'",
      ]),
    );
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    ['/patchbay', { mountPath: '/patchbay' }, '/console'],
    ['/api/v1', { basePath: '/api/v1' }, '/api/v1/console'],
    ['/patchbay/system', { mountPath: '/patchbay', basePath: { system: '/system' } }, '/system/console'],
  ])('names its files under the prefix %s, and each is there', async (prefix, options, path) => {
    const page = await (await get(path, {}, options)).text();
    const names = [...page.matchAll(/(?:href|src)="([^"]+\.(?:js|css|svg))"/g)].map(([, name = '']) => name);
    expect(names).toHaveLength(3);
    const strip = (name: string) => path.replace('/console', '') + name.slice(prefix.length);
    const answers = await Promise.all(names.map((name) => get(strip(name), {}, options)));
    expect(names.every((name) => name.startsWith(`${prefix}/console/`))).toBe(true);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('takes a prefix that a caller has chosen for text', async () => {
    const chosen = '/"><script>alert(1)</script>';
    const socket = await listen((message) =>
      Object.assign(message, { baseUrl: chosen, originalUrl: `${chosen}/console` }),
    );
    const page = (await socket.get('/console')).text;
    socket.close();
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page).toContain('data-system="/&#34;&#62;&#60;script');
  });
});

describe('a file of the console', () => {
  it.each([
    ['br', 'gzip, deflate, br', brotliDecompressSync],
    ['gzip', 'br;q=0, GZIP;q=0.5', gunzipSync],
    [null, 'br; q=0.000, gzip;q=0', (bytes: Buffer) => bytes],
    [null, '', (bytes: Buffer) => bytes],
  ])('is sent as %s to a browser that accepts "%s"', async (encoding, accepted, unpack) => {
    const answer = await get(`/console/${script}`, { 'accept-encoding': accepted });
    const { headers } = answer;
    expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([encoding, 'Accept-Encoding']);
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(Buffer.compare(unpack(bytes), readFileSync(built + script))).toBe(0);
  });

  it('is not sent again to a browser that has it, nor by HEAD', async () => {
    const { headers } = await get(`/console/${script}`);
    const known = await get(`/console/${script}`, { 'if-none-match': headers.get('etag') ?? '' });
    expect([known.status, known.headers.get('etag'), await known.text()]).toEqual([304, headers.get('etag'), '']);
    const head = await get(`/console/${script}`, {}, {}, 'HEAD');
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      '',
    ]);
  });

  it.each([
    'index.html',
    'main.js',
    'main-00000000.js',
    '%2e%2e%2fpackage.json',
    '..%2fpackage.json',
    '..%5cpackage.json',
    '%2fetc%2fpasswd',
    'file:%2f%2f%2fetc%2fpasswd',
    'main-AAAAAAAA.js%00.css',
    'main-AAAAAAAA.js.br',
    'MAIN-AAAAAAAA.JS',
  ])('does not exist under the name %s', async (name) => {
    const { status, headers } = await get(`/console/${name}`);
    expect([status, headers.get('content-type')]).toEqual([404, 'application/problem+json']);
  });

  it('no path of a socket leads out of the folder', async () => {
    const socket = await listen();
    const paths = ['/console/..', '/console/../package.json', '/console/%2e%2e/package.json', '/console//etc/passwd'];
    const answers = await Promise.all(paths.map((path) => socket.get(path)));
    socket.close();
    expect(answers.map(({ status }) => status)).toEqual([404, 401, 401, 401]);
  });
});

describe('where the console is not asked for', () => {
  it('an embedding host has no page, and its root leads to the reference', async () => {
    const plain = { operations, home: undefined };
    expect((await get('/console', { accept }, plain)).status).toBe(401);
    const handle = createFetchHandler(app);
    const root = await handle(new Request('http://localhost/', { headers: { accept } }));
    expect([root.status, root.headers.get('location')]).toEqual([302, '/docs']);
  });

  it('only a host that asks for it has sessions', async () => {
    const told = await get('/console/session');
    expect([told.status, await told.json()]).toEqual([200, null]);
    expect((await get('/console/session', {}, { operations, home: undefined })).status).toBe(401);
  });

  it('a host that asks for it sends browsers from the root to the page only if it says so', async () => {
    const root = async (options: object) => (await get('/', { accept }, options)).headers.get('location');
    expect([await root({}), await root({ home: undefined })]).toEqual(['/console', '/docs']);
  });
});
