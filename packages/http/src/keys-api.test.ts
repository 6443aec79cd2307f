import type { App } from '@patchbay/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createScopedApp } from './fixtures/scoped-app.ts';
import { sample } from './fixtures/test-app.ts';
import { type Client, transportsOfServices } from './fixtures/transports.ts';

describe.each(transportsOfServices)('keys and the audit log over %s', (_, connect) => {
  let app: App;
  let client: Client;

  beforeAll(async () => {
    app = await createScopedApp();
    client = await connect(app);
  });

  afterAll(async () => {
    await client.close();
    await app.host.stop(0);
  });

  const send = (method: string, path: string, body?: unknown, token = 'acme/*') =>
    client.send(method, path, {
      as: null,
      headers: { authorization: `Bearer ${token}` },
      ...(body !== undefined && { body }),
    });

  it('match the documentation from creation to revocation of a key', async () => {
    const made = await send('POST', '/keys', { name: 'CI', scopes: ['functions:read'] });
    expect([made.status, made.headers.get('location')]).toEqual([201, `/keys/${made.json.id}`]);
    const path = `/keys/${made.json.id}`;
    expect((await send('GET', path)).json).toMatchObject({ name: 'CI', createdBy: 'user|acme' });
    expect((await send('POST', `${path}/rotate`)).json.previousUntil).toBeTypeOf('string');
    expect((await send('GET', '/keys')).json).toMatchObject({ data: [{ id: made.json.id }], meta: { total: 1 } });
    expect((await send('DELETE', path)).json.success).toBe(true);
    expect((await send('POST', `${path}/rotate`)).status).toBe(409);
    expect((await send('GET', '/keys/key_0')).status).toBe(404);
    expect((await send('POST', '/keys', { name: 'CI', scopes: ['*'] }, 'acme/keys:write')).json.errors).toEqual([
      expect.objectContaining({ pointer: '/scopes/0', code: 'insufficient_scope' }),
    ]);
  });

  describe('an API key of a token that expires', () => {
    const end = Date.parse('2099-01-01T00:00:00.000Z');
    const token = `acme/keys:write,functions:read/${end}`;
    const body = { name: 'CI', scopes: ['functions:read'] };

    it('expires with the token', async () => {
      const { status, json } = await send('POST', '/keys', body, token);
      expect([status, json.expiresAt]).toEqual([201, new Date(end).toISOString()]);
      const later = await send('POST', '/keys', { ...body, expiresAt: '2099-01-01T00:00:01Z' }, token);
      expect([later.status, later.json.errors[0].pointer]).toEqual([400, '/expiresAt']);
      const admin = await send('POST', '/keys', body, `acme/*/${end}`);
      expect(admin.json.expiresAt).toBe(new Date(end).toISOString());
    });

    it('fails to rotate a key that outlives the token', async () => {
      const { json: permanent } = await send('POST', '/keys', body);
      const rotated = await send('POST', `/keys/${permanent.id}/rotate`, undefined, token);
      expect([rotated.status, rotated.json.code]).toEqual([403, 'insufficient_scope']);
    });

    it('requires a known expiry of the token', async () => {
      const { status, json } = await send('POST', '/keys', body, 'acme/keys:write,functions:read/unknown');
      expect([status, json.code, json.scope]).toEqual([403, 'insufficient_scope', 'keys:permanent']);
      const { json: permanent } = await send('POST', '/keys', body);
      const rotated = await send('POST', `/keys/${permanent.id}/rotate`, undefined, 'acme/*/unknown');
      expect([rotated.status, rotated.json.scope]).toEqual([403, 'keys:permanent']);
    });

    it('becomes permanent with the scope keys:permanent, which * excludes', async () => {
      const { json } = await send('POST', '/keys', body, `acme/keys:write,functions:read,keys:permanent/${end}`);
      expect(json.expiresAt).toBeNull();
      const handed = { ...body, scopes: ['keys:permanent'] };
      expect((await send('POST', '/keys', handed, 'acme/*')).status).toBe(403);
    });
  });

  it('record every change with its request, caller and address', async () => {
    const created = await send('POST', '/functions', sample, 'umbrella/*');
    const path = `/functions/${created.json.id}`;
    await send('PUT', path, { ...sample, code: 'fail' }, 'umbrella/*');
    await send('POST', `${path}/versions/1/restore`, undefined, 'umbrella/*');
    await send('GET', path, undefined, 'umbrella/*');
    await send('PUT', path, { ...sample, name: '' }, 'umbrella/*');
    const deleted = await send('DELETE', path, undefined, 'umbrella/*');
    await send('DELETE', path, undefined, 'umbrella/*');
    const { json } = await send('GET', '/audit', undefined, 'umbrella/audit:read');
    const told = json.data.map(({ sequence, action, details }: Record<string, unknown>) => [sequence, action, details]);
    expect(told).toEqual([
      [4, 'function.deleted', {}],
      [3, 'function.updated', { version: 3 }],
      [2, 'function.updated', { version: 2 }],
      [1, 'function.created', {}],
    ]);
    expect(json.data[0]).toMatchObject({
      resource: { type: 'function', id: created.json.id },
      actor: { type: 'user', id: 'user|umbrella' },
      requestId: deleted.headers.get('request-id'),
      previousHash: json.data[1].hash,
    });
  });

  it('filter and page the log of one tenant', async () => {
    for (let index = 0; index < 3; index += 1) await send('POST', '/functions', sample, 'globex/*');
    const { json: all } = await send('GET', '/audit?limit=2', undefined, 'globex/*');
    expect([all.data.length, all.meta.total]).toEqual([2, 3]);
    const rest = await send('GET', `/audit?limit=2&cursor=${all.meta.nextCursor}`, undefined, 'globex/*');
    expect(rest.json.data).toMatchObject([{ sequence: 1 }]);
    const { id } = all.data[1].resource;
    const one = await send('GET', `/audit?resource=${id}&action=function.created`, undefined, 'globex/*');
    expect(one.json).toMatchObject({ data: [{ sequence: 2, resource: { id } }], meta: { total: 1 } });
    expect((await send('GET', `/audit?resource=${id}`, undefined, 'acme/*')).json.data).toEqual([]);
    expect((await send('GET', '/audit?action=nothing', undefined, 'acme/*')).status).toBe(400);
    expect((await send('GET', `/audit?cursor=${all.meta.nextCursor}`, undefined, 'acme/*')).status).toBe(400);
  });
});
