import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { canary, isUpstream } from '@patchbay/canaries';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder, runServer, type ServerProcess } from '../driver/run-server.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../metrics/otlp-receiver.ts';

// Secrets are planted wherever there can be one, upstreams repeat everything they receive, much fails; and then
// none of the secrets is in a log, an answer or a file of the database.

const random = (prefix: string) => `${prefix}${crypto.randomUUID().replaceAll('-', '')}`;

const planted = {
  'root secret': canary('root-secret-of-a-config'),
  'root secret of before': canary('root-secret-of-before'),
  'bootstrap key': canary('bootstrap-key'),
  'key of OpenAI': canary('key-of-openai'),
  'key of Anthropic': canary('key-of-anthropic'),
  'key of Google': canary('key-of-google'),
  'key of the collector of traces': canary('key-of-a-collector'),
  'secret of the OAuth client': `${canary('oauth-client')}+/`,
  'JWT of a caller': `${btoa('{"alg":"ES256","typ":"at+jwt"}')}.${btoa(`{"iss":"https://id.example","sub":"${random('')}"}`)}.${canary('signature')}`,
  'opaque token of a caller': canary('opaque-token'),
  'wrong key of a caller': `pbk_live_${random('').slice(0, 12)}_${random('').slice(0, 32)}abcdef`,
};

/** Known once they were made. */
const made: Record<string, string> = {};
const answers: string[] = [];
const folder = newFolder();
let upstream: Server;
let collector: OtlpReceiver;
let server: ServerProcess;
let url: string;
let log: string;

async function send(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${planted['bootstrap key']}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { response, text, all: JSON.stringify([...response.headers]) + text };
}

/** Send, and keep the answer for the search. */
async function note(...given: Parameters<typeof send>): Promise<string> {
  const { all, text } = await send(...given);
  answers.push(all);
  return text;
}

/** Send what is answered with a secret this once; the rest of the answer is searched as well. */
async function make(name: string, ...given: Parameters<typeof send>): Promise<{ readonly id: string }> {
  const { all, text } = await send(...given);
  const { id, key } = JSON.parse(text) as { id: string; key: string };
  made[name] = key.slice(-38);
  answers.push(all.replace(key, ''));
  return { id };
}

beforeAll(async () => {
  let count = 0;
  upstream = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => {
      body += String(piece);
    });
    request.on('end', () => {
      const told = JSON.stringify({ url: request.url, headers: request.rawHeaders, body });
      count += 1;
      const status = [401, 500, 200, 400, 429, 403][count % 6] ?? 500;
      response.writeHead(status, {
        'content-type': 'application/json',
        'x-request-id': told.slice(0, 100).replaceAll(/[^ -~]/g, ''),
      });
      response.end(JSON.stringify({ error: { message: told, type: told, code: told } }));
    });
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  isUpstream(origin);
  collector = await startOtlpReceiver();
  writeFileSync(
    join(folder, 'patchbay.config.yaml'),
    `patchbay: 1
server: { logLevel: debug }
storage: { use: "@patchbay/store-sqlite", with: { file: ./data/patchbay.db } }
providers:
  openai: { use: "@patchbay/provider-openai", with: { apiKey: "${planted['key of OpenAI']}", baseUrl: "${origin}/v1" } }
  anthropic: { use: "@patchbay/provider-anthropic", with: { apiKey: "${planted['key of Anthropic']}", baseUrl: "${origin}" } }
  google: { use: "@patchbay/provider-google", with: { apiKey: "${planted['key of Google']}", baseUrl: "${origin}" } }
authenticators:
  keys: { use: "@patchbay/auth-api-key" }
  oauth:
    use: "@patchbay/auth-oauth"
    with:
      issuers:
        corp:
          issuer: ${origin}
          audience: [patchbay]
          introspection: { endpoint: "${origin}/ask", clientId: me, clientSecret: "${planted['secret of the OAuth client']}" }
telemetry: { use: "@patchbay/telemetry-otel", with: { url: "${collector.url}", headers: { x-collector-key: "${planted['key of the collector of traces']}" } } }
secret: ${planted['root secret']}
previousSecrets: [${planted['root secret of before']}]
`,
  );
  server = runServer(folder, { PATCHBAY_BOOTSTRAP_KEY: planted['bootstrap key'] });
  url = await server.listening();
});

afterAll(async () => {
  server.child.kill('SIGKILL');
  await server.ended();
  upstream.closeAllConnections();
  await new Promise((resolve) => upstream.close(resolve));
  await collector.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('secrets', () => {
  it('reach every kind of output once', async () => {
    const key = { name: 'k', scopes: ['functions:read', 'keys:write'] };
    const { id } = await make('key of a caller', 'POST', '/keys', key);
    await make('key after a rotation', 'POST', `/keys/${id}/rotate`, {});
    await make('key of a request that was repeated', 'POST', '/keys', key, { 'idempotency-key': 'k1' });
    const repeated = await send('POST', '/keys', key, { 'idempotency-key': 'k1' });
    expect(repeated.text).toContain(made['key of a request that was repeated']);
    await note('GET', '/keys');
    await note('GET', `/keys/${id}`);
    await note('DELETE', `/keys/${id}`);
    await note('GET', '/audit');
    for (const model of ['openai/gpt-5', 'anthropic/claude-sonnet-4-5', 'google/gemini-2.5-flash', 'auto']) {
      for (let round = 0; round < 3; round += 1) {
        await note('POST', '/chat', { model, messages: [{ role: 'user', content: 'hello' }] });
        await note('POST', '/chat', { model, stream: true, messages: [{ role: 'user', content: 'hello' }] });
        await note('POST', '/embeddings', { model, text: 'hello' });
      }
    }
    for (const name of ['JWT of a caller', 'opaque token of a caller', 'wrong key of a caller'] as const) {
      await note('GET', '/functions', undefined, { authorization: `Bearer ${planted[name]}` });
      await note('GET', '/functions', undefined, { authorization: '', 'x-api-key': planted[name] });
      await note('GET', `/functions?access_token=${planted[name]}`);
      await note('POST', '/functions', '{', { authorization: `Basic ${planted[name]}` });
    }
    await note('GET', '/nowhere');
    await note('GET', '/openapi.json');
    await note('GET', '/readyz');
    server.child.kill('SIGTERM');
    expect(await server.ended()).toBe(0);
    log = server.output.stdout + server.output.stderr;
    expect(log.split('\n').length).toBeGreaterThan(20);
    expect(answers.length).toBeGreaterThan(40);
  });

  it('appear in no log, answer, trace or database file, and number at least 12', () => {
    const secrets = Object.entries({ ...planted, ...made });
    expect(secrets.length).toBeGreaterThanOrEqual(12);
    const data = join(folder, 'data');
    const files = readdirSync(data).map((name) => [name, readFileSync(join(data, name), 'latin1')] as const);
    const places = [['log', log], ['answers', answers.join('\n')], ['traces', collector.text()], ...files] as const;
    const found = secrets.flatMap(([name, secret]) =>
      [secret, encodeURIComponent(secret), btoa(secret).replace(/=+$/, '')].flatMap((form) =>
        places.filter(([, text]) => text.includes(form)).map(([place]) => `${name} in ${place}`),
      ),
    );
    expect(found).toEqual([]);
    expect(files.map(([name]) => name)).toContain('patchbay.db');
  });

  it('in these places would be found by the search', () => {
    // The name of a key is stored, so the search does see what is in the files.
    expect(readFileSync(join(folder, 'data', 'patchbay.db'), 'latin1')).toContain('"functions:read","keys:write"');
    expect(answers.join('\n')).toContain('"code":"provider_');
    // Spans of requests, and of model calls that failed with a message that repeats the request.
    const names = collector.spans.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['POST /keys', 'POST /chat']));
  });
});
