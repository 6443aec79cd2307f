import { createHash, createHmac, timingSafeEqual, X509Certificate } from 'node:crypto';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer, request as sendOverTls } from 'node:https';
import type { AddressInfo } from 'node:net';
import { canary } from '@patchbay/canaries';
import { type Authenticator, definePlugin, type GrantedScope, PatchbayError, tenantId } from '@patchbay/core/plugin';
import { selfSignedCertificate } from '@patchbay/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { createFetchHandler } from './fetch-handler.ts';
import { createTestApp, sample } from './fixtures/test-app.ts';
import { createNodeListener } from './node/node-listener.ts';

const user = (id: string, scopes: readonly GrantedScope[] = ['*']) =>
  ({ id, kind: 'user', tenant: tenantId('acme'), scopes }) as const;

const authenticatorOf = (create: (log: (fields: object) => void) => Omit<Authenticator, 'authenticate'>) => ({
  use: definePlugin({
    name: 'request-authenticator',
    kind: 'authenticator',
    version: 1,
    config: { properties: {} },
    create: ({ logger }) => ({
      authenticate: async () => undefined,
      ...create((fields) => logger.info('asked', fields)),
    }),
  }),
});

const password = canary('basic-password');
const basicOf = (name: string, text: string) => ({ authorization: `Basic ${btoa(`${name}:${text}`)}` });
const hmacKey = canary('hmac-key');
const signatureOf = (method: string, target: string, digest: string) =>
  createHmac('sha256', hmacKey).update(`${method}\n${target}\n${digest}`).digest();

const basic = authenticatorOf((log) => ({
  async authenticateRequest(request) {
    log({ request, copy: { ...request } });
    const [, encoded] = /^Basic (\S+)$/.exec(request.header('authorization') ?? '') ?? [];
    if (encoded === undefined) return undefined;
    const [name = '', given] = atob(encoded).split(':');
    if (given !== password) throw new PatchbayError('invalid_token', 'the password is wrong');
    return user(`basic|${name}`);
  },
}));

const signed = authenticatorOf(() => ({
  async authenticateRequest(request) {
    const given = request.header('x-signature');
    if (given === undefined) return undefined;
    const wanted = signatureOf(request.method, request.target, request.header('content-digest') ?? '');
    const bytes = Buffer.from(given, 'base64');
    if (bytes.length !== wanted.length || !timingSafeEqual(bytes, wanted)) {
      throw new PatchbayError('invalid_token', 'the signature is wrong');
    }
    return user('hmac|1');
  },
}));

const certified = authenticatorOf(() => ({
  async authenticateRequest({ peerCertificate }) {
    if (!peerCertificate) return undefined;
    return user(`certificate|${new X509Certificate(peerCertificate).subject}`);
  },
}));

const test = await createTestApp({ authenticators: { basic, signed, certified } });
afterAll(() => test.app.host.stop(0));
const handle = createFetchHandler(test.app, { mountPath: '/patchbay' });
const answer = createNodeListener(test.app);
const listen = (message: IncomingMessage, response: ServerResponse) => void answer(message, response);
const send = (path: string, init: RequestInit = {}) => handle(new Request(`http://localhost${path}`, init));
const codeOf = async (response: Response) => ((await response.json()) as { code?: string }).code;
const json = { 'content-type': 'application/json' };
const body = JSON.stringify(sample);

describe('a request authenticator', () => {
  it('knows a caller by Basic credentials', async () => {
    expect((await send('/functions', { headers: basicOf('ann', password) })).status).toBe(200);
    expect(test.log).toContainEqual(expect.objectContaining({ caller: 'basic|ann', status: 200 }));
    expect(await codeOf(await send('/functions', { headers: basicOf('ann', 'wrong') }))).toBe('invalid_token');
  });

  it('redacts requests in the log', () => {
    const asked = test.log.filter(({ message }) => message === 'asked');
    expect(asked.length).toBeGreaterThan(0);
    expect(JSON.stringify(asked)).not.toContain(btoa(`ann:${password}`));
  });

  it('leaves a request without credentials, or of another scheme, unauthenticated', async () => {
    expect(await codeOf(await send('/functions'))).toBe('unauthenticated');
    expect(await codeOf(await send('/functions', { headers: { authorization: 'Digest x' } }))).toBe('invalid_token');
    expect(await codeOf(await send('/functions', { headers: { authorization: 'Bearer x' } }))).toBe('invalid_token');
  });

  it('verifies a signature over method, path with prefix and query, and digest', async () => {
    const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
    const headersFor = (target: string) => {
      const signature = signatureOf('POST', target, digest).toString('base64');
      return { ...json, 'content-digest': digest, 'x-signature': signature };
    };
    const post = (path: string, headers: Record<string, string>, text = body) =>
      send(path, { method: 'POST', headers, body: text });
    expect((await post('/functions', headersFor('/patchbay/functions'))).status).toBe(201);
    expect(await codeOf(await post('/functions', headersFor('/functions')))).toBe('invalid_token');
    const other = await post('/functions', headersFor('/patchbay/functions'), `${body} `);
    expect([other.status, await codeOf(other)]).toEqual([400, 'invalid_request']);
  });

  it('rejects requests from other sites that change something', async () => {
    const headers = { ...basicOf('ann', password), ...json, 'sec-fetch-site': 'cross-site' };
    const refused = await send('/functions', { method: 'POST', headers, body });
    expect([refused.status, await codeOf(refused)]).toEqual([403, 'cross_site_request']);
    expect((await send('/functions', { headers })).status).toBe(200);
  });

  it('sees a client certificate that TLS has verified, and no other', async () => {
    const server = selfSignedCertificate('127.0.0.1');
    const client = selfSignedCertificate('client.acme.example');
    const statusWith = async (ca: readonly string[]) => {
      const options = { key: server.key, cert: server.certificate, ca: [...ca], requestCert: true };
      const listener = createServer({ ...options, rejectUnauthorized: false }, listen);
      await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
      const { port } = listener.address() as AddressInfo;
      try {
        return await new Promise<number | undefined>((resolve, reject) => {
          const tls = { key: client.key, cert: client.certificate, ca: server.certificate, agent: false } as const;
          const to = { host: '127.0.0.1', port, path: '/functions', ...tls };
          sendOverTls(to, (reply) => reply.resume().once('end', () => resolve(reply.statusCode)))
            .once('error', reject)
            .end();
        });
      } finally {
        listener.close();
      }
    };
    expect(await statusWith([client.certificate])).toBe(200);
    expect(test.log).toContainEqual(expect.objectContaining({ caller: 'certificate|CN=client.acme.example' }));
    expect(await statusWith([server.certificate])).toBe(401);
  });

  it('finds no certificate on a connection without TLS', async () => {
    const listener = createHttpServer(listen);
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const { port } = listener.address() as AddressInfo;
    expect((await fetch(`http://127.0.0.1:${port}/functions`)).status).toBe(401);
    listener.close();
  });
});
