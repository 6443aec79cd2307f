import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import oauth from '@patchbay/auth-oauth';
import { createApp } from '@patchbay/core';
import { tenantId } from '@patchbay/core/plugin';
import { createNodeListener } from '@patchbay/http';
import type { Example, Examples } from '../example.ts';
import { type ExampleServer, startExampleServer } from '../example-server.ts';

const hour = 3_600_000;

/** Credentials that are invalid, no longer valid, or insufficient. */
export async function credentialExamples(server: ExampleServer): Promise<Examples> {
  const { refused } = server;
  const list = (key: unknown, asked: string) => refused('GET', '/functions', { key, asked });
  const make = (options: object) => server.done('POST', '/keys', { name: 'Example', scopes: ['*'], ...options });

  const revoked = await make({});
  await server.done('DELETE', `/keys/${String(revoked['id'])}`);
  const ended = await make({ expiresAt: new Date(Date.now() + hour).toISOString() });
  const elsewhere = await make({ ipAddresses: ['192.0.2.0/24'] });
  const reader = await make({ scopes: ['functions:read'] });
  const examples = {
    unauthenticated: await list(null, '`GET /functions` without `Authorization`'),
    invalid_token: await list('sk-of-somebody-else', '`GET /functions` with a key of another vendor'),
    key_revoked: await list(revoked['key'], '`GET /functions` with a key after `DELETE /keys/{id}`'),
    address_not_allowed: await list(elsewhere['key'], '`GET /functions` from 127.0.0.1, with a key for `192.0.2.0/24`'),
    insufficient_scope: await refused('POST', '/generate', {
      body: { prompt: 'Hello' },
      key: reader['key'],
      asked: '`POST /generate` with a key that has the scope `functions:read`',
    }),
    key_not_found: await refused('GET', '/keys/key_01m7ywmcfpf69vwvph88jyb0cr'),
    key_inactive: await refused('POST', `/keys/${String(revoked['id'])}/rotate`, { body: {} }),
    cross_site_request: await crossSite(),
    authentication_unavailable: await issuerGone(),
  };
  server.pass(2 * hour);
  return {
    ...examples,
    token_expired: await list(ended['key'], '`GET /functions` with a key whose `expiresAt` has passed'),
  };
}

async function crossSite(): Promise<Example> {
  const app = await createApp({ patchbay: 1 }, {});
  const caller = () => ({ id: 'user_42', kind: 'user', tenant: tenantId('acme'), scopes: ['*'] }) as const;
  const listener = createNodeListener(app, { caller });
  const host = createServer((message, response) => void listener(message, response));
  host.listen(0, '127.0.0.1');
  await once(host, 'listening');
  const url = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  try {
    const headers = { 'sec-fetch-site': 'cross-site', 'content-type': 'application/json' };
    const response = await fetch(`${url}/generate`, { method: 'POST', headers, body: '{"prompt": "Hello"}' });
    const asked = '`POST /generate` with the cookie of a host, from a page of another site';
    return { asked, answer: (await response.json()) as object };
  } finally {
    host.closeAllConnections();
    host.close();
    await app.host.stop(0);
  }
}

/** A token of an issuer that does not answer. */
async function issuerGone(): Promise<Example> {
  const gone = createServer();
  gone.listen(0, '127.0.0.1');
  await once(gone, 'listening');
  const issuer = `http://127.0.0.1:${(gone.address() as AddressInfo).port}`;
  await new Promise((resolve) => gone.close(resolve));
  const tokens = { use: oauth, with: { issuers: { acme: { issuer, audience: ['patchbay'], tenant: 'acme' } } } };
  const server = await startExampleServer({ authenticators: { tokens } });
  try {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const soon = Math.floor(Date.now() / 1_000) + 600;
    const claims = { iss: issuer, aud: 'patchbay', sub: 'me', exp: soon };
    const key = `${part({ alg: 'RS256', kid: '1', typ: 'JWT' })}.${part(claims)}.${'A'.repeat(342)}`;
    return await server.refused('GET', '/functions', {
      key,
      asked: '`GET /functions` with an access token whose issuer is down',
    });
  } finally {
    await server.close();
  }
}
