import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import apiKeys from '@patchbay/auth-api-key';
import oauth from '@patchbay/auth-oauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminKey, type Identity, startIdentity } from './fixtures/start-identity.ts';

// API keys and access tokens beside each other, through the whole API.

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const resource = 'https://patchbay.example.com/api/mcp';
let issuer: string;
let server: Server;
let identity: Identity;

const seconds = () => Math.floor(Date.now() / 1_000);
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

function token(claims: object = {}, key = privateKey): string {
  const standard = { iss: issuer, aud: 'patchbay', sub: 'alice', client_id: 'default', jti: crypto.randomUUID() };
  const times = { iat: seconds(), exp: seconds() + 600 };
  const body = `${encode({ alg: 'ES256', kid: 'k1', typ: 'at+jwt' })}.${encode({ ...standard, ...times, ...claims })}`;
  return `${body}.${sign('sha256', Buffer.from(body), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

beforeAll(async () => {
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'ES256' };
  server = createServer(({ url }, response) => {
    response.end(JSON.stringify(url === '/jwks' ? { keys: [jwk] } : { issuer, jwks_uri: `${issuer}/jwks` }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const authenticators = {
    keys: { use: apiKeys, with: { bootstrapKey: adminKey } },
    oauth: { use: oauth, with: { issuers: { corp: { issuer, audience: ['patchbay', resource], tenantPrefix: '' } } } },
  };
  identity = await startIdentity({ config: { authenticators } });
});

afterAll(async () => {
  await identity.app.host.stop(0);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const sample = { name: 'Echo', input: { type: 'object' }, output: { type: 'object' }, code: 'export default (x) => x' };

describe('an access token', () => {
  it('allows what its scopes allow, in its tenant', async () => {
    const writer = token({ scope: 'functions:read functions:write' });
    const created = await identity.send('POST', '/functions', { key: writer, body: sample });
    expect(created.status).toBe(201);
    const path = `/functions/${created.json.id}`;
    expect((await identity.send('GET', path)).status).toBe(200);
    const versions = await identity.send('GET', `${path}/versions`, { key: writer });
    expect(versions.json.data[0].createdBy).toBe('corp|alice');
    expect(
      (await identity.send('GET', path, { key: token({ scope: 'functions:read', client_id: 'other' }) })).status,
    ).toBe(404);
    const reader = await identity.send('DELETE', path, { key: token({ scope: 'functions:read' }) });
    expect([reader.status, reader.headers.get('www-authenticate')]).toEqual([
      403,
      'Bearer realm="patchbay", error="insufficient_scope", scope="functions:write"',
    ]);
  });

  it.each([
    ['is forged', () => token({}, other.privateKey), 'invalid_token'],
    ['is of another issuer', () => token({ iss: 'https://other.example' }), 'invalid_token'],
    ['has expired', () => token({ exp: seconds() - 60 }), 'token_expired'],
    ['is none', () => 'nonsense', 'invalid_token'],
  ])('that %s is refused', async (_, make, code) => {
    const { status, headers, json } = await identity.send('GET', '/functions', { key: make() });
    const challenge = 'Bearer realm="patchbay", error="invalid_token"';
    expect([status, json.code, headers.get('www-authenticate')]).toEqual([401, code, challenge]);
  });

  it('creates keys of its tenant with at most its scopes', async () => {
    const admin = token({ scope: 'keys:write models:read', client_id: 'acme' });
    const { key } = await identity.makeKey({ scopes: ['models:read'] }, admin);
    expect((await identity.send('GET', '/models', { key })).status).toBe(200);
    const more = await identity.send('POST', '/keys', { key: admin, body: { name: 'k', scopes: ['functions:read'] } });
    expect([more.status, more.json.code]).toEqual([403, 'insufficient_scope']);
    const listed = await identity.send('GET', '/keys', { key: admin });
    expect(listed.json.data).toMatchObject([{ createdBy: 'corp|alice' }]);
    expect((await identity.send('GET', `/keys/${listed.json.data[0].id}`)).json.code).toBe('key_not_found');
  });
});

describe('the endpoint of agents', () => {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'nothing', arguments: {} } };
  const url = 'https://patchbay.example.com/api/.well-known/oauth-protected-resource/mcp';

  it('tells clients without a token where to get one', async () => {
    const { json } = await identity.send('GET', '/.well-known/oauth-protected-resource/mcp', { key: null });
    expect(json).toMatchObject({ resource, authorization_servers: [issuer], bearer_methods_supported: ['header'] });
    const refused = await identity.send('POST', '/mcp', { key: null, body: message });
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer realm="patchbay", resource_metadata="${url}"`,
    ]);
  });

  it('names the scope that a token lacks, and refuses tokens for others', async () => {
    const reader = token({ aud: resource, scope: 'functions:read' });
    const refused = await identity.send('POST', '/mcp', { key: reader, body: message });
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      403,
      `Bearer realm="patchbay", error="insufficient_scope", scope="functions:execute", resource_metadata="${url}"`,
    ]);
    const others = token({ aud: 'https://other.example/mcp', scope: 'functions:execute' });
    const { status, json } = await identity.send('POST', '/mcp', { key: others, body: message });
    expect([status, json.error.data.code]).toEqual([401, 'invalid_token']);
  });
});
