import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import type { JsonValue } from '@patchbay/contracts/json';
import { type Resolve, resolveBySystem } from '@patchbay/outbound/egress/resolve-names';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRunFetch, type RunFetch } from './fetch-call.ts';
import { callerContext } from './fixtures/calling-app.ts';
import { type EgressPolicy, parseHostPattern } from './grants.ts';

const SECRET = 'top"secret/value+1';
const BIG = 70_000;

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

describe('fetch within functions', () => {
  const seen: Seen[] = [];
  const open: RunFetch[] = [];
  let origin = '';
  let port = 0;
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { method, url, headers } = request;
      seen.push({ method, url, headers, body: Buffer.concat(pieces).toString() });
      answer(request, response);
    });
  });

  function answer({ url = '', headers }: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(url, origin);
    const target = searchParams.get('to') ?? '';
    const key = headers.authorization ?? '';
    switch (pathname) {
      case '/redirect':
        response.writeHead(Number(searchParams.get('status') ?? 302), { location: target }).end();
        return;
      case '/echo':
        response.writeHead(200, { 'x-key': key, 'set-cookie': ['a=1', 'b=2'] });
        response.end([key, encodeURIComponent(key), Buffer.from(`user:${key}`).toString('base64')].join('\n'));
        return;
      case '/big':
        response.end('x'.repeat(BIG));
        return;
      case '/packed':
        response.writeHead(200, { 'content-encoding': 'gzip' }).end('zip');
        return;
      case '/never':
        return;
      case '/half':
        response.writeHead(200, { 'content-length': 10 });
        response.write('half', () => response.destroy());
        return;
      default:
        response.writeHead(pathname === '/none' ? 204 : 200, { 'content-type': 'text/plain' }).end('fine');
    }
  }

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
    origin = `http://127.0.0.1:${port}`;
  });
  afterAll(async () => {
    for (const { close } of open) close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const patterns = (...texts: string[]) => texts.flatMap((text) => parseHostPattern(text) ?? []);
  const policy = (
    hosts: string[],
    addresses: string[] = ['127.0.0.0/8'],
    secretHosts: string[] = hosts,
  ): EgressPolicy => ({
    hosts: [{ hosts: patterns(...hosts), addresses }],
    secrets: new Map([['KEY', { value: SECRET, hosts: patterns(...secretHosts) }]]),
  });

  function start(egress: EgressPolicy, resolve: Resolve = resolveBySystem, timeoutMs = 10_000) {
    const run = createRunFetch(egress, { timeoutMs, maxBytes: 65_536 }, resolve);
    open.push(run);
    const fetch = async (given: object, signal?: AbortSignal) => {
      const result = (await run.serve(given as JsonValue, callerContext('a', ['*'], signal))) as {
        readonly body: string;
        readonly status: number;
        readonly headers: readonly (readonly [string, string])[];
        readonly url: string;
        readonly redirected: boolean;
      };
      return { ...result, text: Buffer.from(result.body, 'base64').toString() };
    };
    return { ...run, fetch };
  }

  const codeOf = (call: Promise<unknown>) =>
    call.then(
      () => 'answered',
      (error: { readonly code: string }) => error.code,
    );

  it('sends a request unchanged, and returns the whole response', async () => {
    const { fetch } = start(policy([origin]));
    const body = Buffer.from('a body').toString('base64');
    const headers = [
      ['content-type', 'text/x'],
      ['X-Own', 'ü'.normalize()],
    ];
    const result = await fetch({ url: `${origin}/some/path?q=1#part`, method: 'PUT', headers, body });
    expect(result).toMatchObject({ status: 200, text: 'fine', url: `${origin}/some/path?q=1`, redirected: false });
    expect(seen.at(-1)).toMatchObject({
      method: 'PUT',
      url: '/some/path?q=1',
      body: 'a body',
      headers: { 'content-type': 'text/x', 'x-own': 'ü', 'content-length': '6', host: `127.0.0.1:${port}` },
    });
    expect(await fetch({ url: `${origin}/none` })).toMatchObject({ status: 204, text: '' });
    const { headers: echoed } = await fetch({ url: `${origin}/echo` });
    expect(echoed.filter(([name]) => name === 'set-cookie')).toEqual([
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ]);
  });

  it('sends nothing to a host that was not granted', async () => {
    const count = seen.length;
    const none = start({ hosts: [], secrets: new Map() });
    expect(await codeOf(none.fetch({ url: origin }))).toBe('fetch_refused');
    const other = start(policy(['api.acme.example', 'http://127.0.0.1:1']));
    for (const url of [
      origin,
      'https://127.0.0.1/',
      'file:///etc/passwd',
      'data:,x',
      'https://a:b@api.acme.example/',
    ]) {
      expect(await codeOf(other.fetch({ url })), url).toBe('fetch_refused');
    }
    expect(seen.length).toBe(count);
  });

  it('reaches only public addresses, unless the grant opens another range', async () => {
    const count = seen.length;
    const hosts = ['http://*', `http://*:${port}`];
    const closed = start(policy(hosts, []));
    const urls = ['localhost', '127.0.0.1', '0.0.0.0', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', '127.1'];
    for (const host of urls)
      expect(await codeOf(closed.fetch({ url: `http://${host}:${port}/` })), host).toBe('fetch_refused');
    const private10 = start(policy(hosts, ['10.0.0.0/8']));
    expect(await codeOf(private10.fetch({ url: `${origin}/` }))).toBe('fetch_refused');
    expect(seen.length).toBe(count);
    expect(await codeOf(start(policy(hosts)).fetch({ url: `http://127.1:${port}/` }))).toBe('answered');
  });

  it('connects to the address that it checked, whatever the name resolves to next', async () => {
    const answers = ['203.0.113.1', '127.0.0.1'];
    let asked = 0;
    // The first response passes as if it were public; the second is where an attacker wants the connection to go.
    const rebinding: Resolve = async () => {
      asked++;
      return [{ address: answers[Math.min(asked, 2) - 1] ?? '', family: 4 }];
    };
    const rebound = start(policy([`http://rebind.test:${port}`], ['203.0.113.0/24']), rebinding, 300);
    const count = seen.length;
    expect(await codeOf(rebound.fetch({ url: `http://rebind.test:${port}/` }))).toMatch(/^fetch_(?:timeout|failed)$/u);
    expect(await codeOf(rebound.fetch({ url: `http://rebind.test:${port}/` }))).toBe('fetch_refused');
    const mixed = start(policy([`http://mixed.test:${port}`], []), async () => [
      { address: '8.8.8.8', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ]);
    expect(await codeOf(mixed.fetch({ url: `http://mixed.test:${port}/` }))).toBe('fetch_refused');
    expect(seen.length).toBe(count);
    const named = start(policy([`http://named.test:${port}`]), async () => [{ address: '127.0.0.1', family: 4 }]);
    expect(await codeOf(named.fetch({ url: `http://named.test:${port}/` }))).toBe('answered');
    expect(seen.at(-1)?.headers.host).toBe(`named.test:${port}`);
  });

  it.each([
    [[['Host', 'evil.test']], 'fetch_refused'],
    [[['Connection', 'x-own']], 'fetch_refused'],
    [[['content-length', '1']], 'fetch_refused'],
    [[['transfer-encoding', 'chunked']], 'fetch_refused'],
    [[['x', 'a\r\nHost: evil.test']], 'invalid_request'],
    [[['x y', 'a']], 'invalid_request'],
    [[['x', 'ā']], 'invalid_request'],
    ['x: y', 'invalid_request'],
    [[['x']], 'invalid_request'],
  ])('refuses the headers %j', async (headers, code) => {
    expect(await codeOf(start(policy([origin])).fetch({ url: origin, headers }))).toBe(code);
  });

  it.each([
    [{ method: 'CONNECT' }, 'fetch_refused'],
    [{ method: 'trace' }, 'fetch_refused'],
    [{ method: 'GET /x HTTP/1.1' }, 'invalid_request'],
    [{ url: 'nowhere' }, 'invalid_request'],
    [{ url: 1 }, 'invalid_request'],
    [{ body: {} }, 'invalid_request'],
    [{ redirect: 'maybe' }, 'invalid_request'],
  ])('refuses %j', async (given, code) => {
    expect(await codeOf(start(policy([origin])).fetch({ url: origin, ...given }))).toBe(code);
  });

  it('checks each redirect like a new request', async () => {
    const { fetch } = start(policy([origin], ['127.0.0.0/8']));
    const to = (url: string, status = 302) => `${origin}/redirect?status=${status}&to=${encodeURIComponent(url)}`;
    const result = await fetch({ url: to('/final'), method: 'POST', body: 'YQ==', headers: [['content-type', 'a/b']] });
    expect(result).toMatchObject({ text: 'fine', url: `${origin}/final`, redirected: true });
    expect(seen.at(-1)).toMatchObject({ method: 'GET', body: '' });
    expect(seen.at(-1)?.headers).not.toHaveProperty('content-type');
    await fetch({ url: to('/final', 307), method: 'POST', body: 'YQ==' });
    expect(seen.at(-1)).toMatchObject({ method: 'POST', body: 'a' });
    const refusals = [
      'http://169.254.169.254/latest',
      'https://evil.test/',
      'file:///etc/passwd',
      `http://localhost:${port}/`,
    ];
    for (const target of refusals) expect(await codeOf(fetch({ url: to(target) })), target).toBe('fetch_refused');
    expect(await codeOf(fetch({ url: to('http://[') }))).toBe('fetch_failed');
    const endless = Array.from({ length: 7 }).reduce<string>((inner) => to(inner), '/final');
    expect(await codeOf(fetch({ url: endless }))).toBe('fetch_failed');
    expect(await codeOf(fetch({ url: to('/final'), redirect: 'error' }))).toBe('fetch_failed');
    expect(await fetch({ url: to('/final'), redirect: 'manual' })).toMatchObject({ status: 302, redirected: false });
  });

  it('puts a secret into headers for its hosts, and removes it from responses', async () => {
    const { fetch, secrets } = start(policy([origin]));
    const key = secrets['KEY'] ?? '';
    expect(key).not.toContain(SECRET);
    const { text, headers } = await fetch({ url: `${origin}/echo`, headers: [['authorization', `Bearer ${key}`]] });
    expect(seen.at(-1)?.headers.authorization).toBe(`Bearer ${SECRET}`);
    const everything = JSON.stringify([text, headers]);
    for (const form of [SECRET, encodeURIComponent(SECRET), 'top\\"secret']) expect(everything).not.toContain(form);
    const [plain, , packed = ''] = text.split('\n');
    expect(plain).toBe(`Bearer ${key}`);
    expect(Buffer.from(packed, 'base64').toString()).not.toContain('secret/value');
    expect(headers).toContainEqual(['x-key', `Bearer ${key}`]);
  });

  it('sends a secret nowhere else', async () => {
    const count = seen.length;
    const { fetch, secrets } = start(policy([origin], ['127.0.0.0/8'], ['api.acme.example']));
    const key = secrets['KEY'] ?? '';
    for (const given of [
      { url: `${origin}/echo`, headers: [['authorization', key]] },
      { url: `${origin}/echo?key=${key}` },
      { url: `${origin}/echo`, method: 'POST', body: Buffer.from(key).toString('base64') },
    ]) {
      expect(await codeOf(fetch(given))).toBe('fetch_refused');
    }
    expect(seen.length).toBe(count);
    // A placeholder of another run is a string like any other.
    const again = start(policy([origin]));
    await again.fetch({ url: `${origin}/echo`, headers: [['authorization', key]] });
    expect(seen.at(-1)?.headers.authorization).toBe(key);
  });

  it('a redirect to another origin loses secrets and credentials', async () => {
    const other = `http://other.test:${port}`;
    const { fetch, secrets } = start(policy([origin, other]), async () => [{ address: '127.0.0.1', family: 4 }]);
    const headers = [
      ['authorization', 'mine'],
      ['cookie', 'a=1'],
      ['x-key', secrets['KEY'] ?? ''],
      ['x-other', 'stays'],
    ];
    await fetch({ url: `${origin}/redirect?to=${encodeURIComponent(`${other}/final`)}`, headers });
    expect(seen.at(-1)?.headers).toMatchObject({ host: `other.test:${port}`, 'x-other': 'stays' });
    for (const name of ['authorization', 'cookie', 'x-key']) expect(seen.at(-1)?.headers).not.toHaveProperty(name);
    await fetch({ url: `${origin}/redirect?to=/final`, headers });
    expect(seen.at(-1)?.headers).toMatchObject({ authorization: 'mine', 'x-key': SECRET });
  });

  it('limits the size and duration of a response', async () => {
    expect(await codeOf(start(policy([origin])).fetch({ url: `${origin}/big` }))).toBe('fetch_too_large');
    expect(await codeOf(start(policy([origin]), resolveBySystem, 50).fetch({ url: `${origin}/never` }))).toBe(
      'fetch_timeout',
    );
    expect(await codeOf(start(policy([origin])).fetch({ url: `${origin}/half` }))).toBe('fetch_failed');
    expect(await codeOf(start(policy([origin])).fetch({ url: `${origin}/packed` }))).toBe('fetch_failed');
    expect(await codeOf(start(policy(['http://127.0.0.1:1'])).fetch({ url: 'http://127.0.0.1:1' }))).toBe(
      'fetch_failed',
    );
  });

  it('closes the connection of an aborted call, even while it is being opened', async () => {
    const closed = Promise.withResolvers<void>();
    const silent = createTcpServer((socket) => {
      socket
        .resume()
        .on('error', () => undefined)
        .on('close', () => closed.resolve());
      leaving.abort(new Error('left'));
    });
    const leaving = new AbortController();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port: silentPort } = silent.address() as AddressInfo;
    // A TLS handshake that is never answered: the connection is not established yet.
    const url = `https://127.0.0.1:${silentPort}`;
    const run = start(policy([url]));
    await expect(run.fetch({ url }, leaving.signal)).rejects.toThrow('left');
    run.close();
    await closed.promise;
    await new Promise((resolve) => silent.close(resolve));
  });
});
