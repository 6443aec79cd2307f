import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ask,
  type ServerProcess,
  startServerProcess,
  type TemporaryData,
  temporaryData,
} from '../driver/server-process.ts';

// Network access of functions: none, unless the config grants it; secrets are added by the server.

const SECRET = 'the-key-of-the-weather-service';

describe('fetch of a function', () => {
  const keys: unknown[] = [];
  const outside = createServer((request, response) => {
    keys.push(request.headers.authorization);
    let body = '';
    request.on('data', (piece: Buffer) => {
      body += piece.toString();
    });
    request.on('end', () => {
      response.writeHead(201, 'Made', { 'content-type': 'application/json', 'x-method': request.method });
      response.end(JSON.stringify({ body, url: request.url, key: request.headers.authorization }));
    });
  });
  let data: TemporaryData;
  let server: ServerProcess;
  let origin = '';

  beforeAll(async () => {
    await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
    data = await temporaryData();
    server = await startServerProcess(data.path, {
      env: { WEATHER_KEY: SECRET },
      config: `
patchbay: 1
storage: { use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }
executor: { use: "@patchbay/executor-deno", with: { spares: 1 } }
authenticators: { keys: { use: "@patchbay/auth-api-key" } }
secretFile: ./secret
functions:
  grants:
    - functions: [weather-*]
      hosts: ["${origin}"]
      addresses: [127.0.0.0/8]
      secrets:
        WEATHER_KEY: { value: "\${secret:WEATHER_KEY}", hosts: ["${origin}"] }
    - functions: [closed]
      hosts: ["${origin}"]
`,
    });
  });
  afterAll(async () => {
    await server.end('SIGTERM');
    await data.remove();
    outside.closeAllConnections();
    await new Promise((resolve) => outside.close(resolve));
  });

  async function run(name: string, code: string) {
    const object = { type: 'object' };
    const saved = await ask(server, 'POST', '/functions', { name, input: object, output: object, code });
    expect(saved.body).toMatchObject({ name });
    const id = String(saved.body['id']);
    return await ask(server, 'POST', `/functions/${id}/execute`, { input: { origin } });
  }

  it('requires a grant, and reaches no address that is not public', async () => {
    const code = `async function main({ origin }: Input, { fetch, secrets }: Context): Promise<Output> {
      const code = await fetch(origin).then(() => 'answered', (error) => error.code);
      return { code, names: Object.keys(secrets) };
    }`;
    for (const name of ['other', 'closed', 'my weather-report']) {
      expect((await run(name, code)).body['output']).toEqual({ code: 'fetch_refused', names: [] });
    }
    expect(keys).toEqual([]);
  });

  it('reaches a granted host, with a secret that does not return', async () => {
    const { body } = await run(
      'weather-report',
      `async function main({ origin }: Input, { fetch, secrets, log }: Context): Promise<Output> {
        const response = await fetch(new URL('/today?in=Rome', origin), {
          method: 'POST',
          headers: { authorization: \`Bearer \${secrets.WEATHER_KEY}\` },
          body: new URLSearchParams({ a: 'ü' }),
        });
        log.info(secrets.get('WEATHER_KEY'));
        const { status, statusText, ok, url, headers } = response;
        const answer = await response.json();
        const unknown = await (async () => secrets.get('OTHER'))().catch((error) => error.message);
        return { status, statusText, ok, url, type: headers.get('content-type'), answer, unknown, key: secrets.WEATHER_KEY };
      }`,
    );
    expect(keys).toEqual([`Bearer ${SECRET}`]);
    expect(JSON.stringify(body)).not.toContain(SECRET);
    const { key, ...output } = body['output'] as { readonly key: string };
    expect(output).toEqual({
      status: 201,
      statusText: 'Made',
      ok: true,
      url: `${origin}/today?in=Rome`,
      type: 'application/json',
      answer: { body: 'a=%C3%BC', url: '/today?in=Rome', key: `Bearer ${key}` },
      unknown: 'This function may not use a secret "OTHER"',
    });
  });

  it('aborts with its signal', async () => {
    const { body } = await run(
      'weather-late',
      `export default async ({ origin }, { fetch }) => {
        const before = await fetch(origin, { signal: AbortSignal.abort(new Error('before')) }).catch((e) => e.message);
        const after = await fetch(origin, { signal: AbortSignal.timeout(20_000) });
        return { before, after: after.status };
      }`,
    );
    expect(body['output']).toEqual({ before: 'before', after: 201 });
  });

  it('leaves no secret and no error in the log of the server', () => {
    expect(server.log.filter(({ level }) => level === 'error')).toEqual([]);
    expect(JSON.stringify(server.log)).not.toContain(SECRET);
    expect(server.errors()).not.toContain(SECRET);
  });
});
