import type { App } from '@patchbay/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createScopedApp } from './fixtures/scoped-app.ts';
import { sample } from './fixtures/test-app.ts';
import { type Client, transportsOfServices } from './fixtures/transports.ts';

describe.each(transportsOfServices)('webhooks over %s', (_, connect) => {
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

  const send = (method: string, path: string, body?: unknown, more: { token?: string; headers?: object } = {}) =>
    client.send(method, path, {
      as: null,
      headers: { authorization: `Bearer ${more.token ?? 'acme/*'}`, ...more.headers },
      ...(body !== undefined && { body }),
    });
  // The owner must exist; nothing is sent while a webhook is disabled.
  const input = { url: 'https://example.com/hooks', events: ['function.created'], enabled: false };
  const create = async () => (await send('POST', '/webhooks', input)).json;

  it('match the documentation from creation to deletion of a webhook', async () => {
    const made = await send('POST', '/webhooks', { ...input, description: 'CI' });
    expect([made.status, made.headers.get('location')]).toEqual([201, `/webhooks/${made.json.id}`]);
    expect(made.json).toMatchObject({ ...input, description: 'CI', disabledReason: null });
    expect(made.json.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const path = `/webhooks/${made.json.id}`;
    const { secret, ...shown } = made.json;
    expect((await send('GET', path)).json).toEqual(shown);
    expect((await send('GET', '/webhooks')).json).toMatchObject({ data: [shown], meta: { total: 1 } });
    const replaced = await send('PUT', path, { ...shown, events: ['*'] });
    expect(replaced.json).toMatchObject({ events: ['*'], enabled: false, createdAt: shown.createdAt });
    expect(replaced.json.updatedAt > shown.updatedAt).toBe(true);
    const rotated = await send('POST', `${path}/rotate-secret`);
    expect(rotated.json.secret).toMatch(/^whsec_/);
    expect(rotated.json.secret).not.toBe(secret);
    expect(rotated.json.previousUntil).toBeTypeOf('string');
    expect((await send('GET', `${path}/deliveries`)).json).toMatchObject({ data: [], meta: { total: 0 } });
    expect((await send('DELETE', path)).json.success).toBe(true);
    for (const method of ['GET', 'DELETE']) expect((await send(method, path)).json.code).toBe('webhook_not_found');
    expect((await send('GET', `${path}/deliveries`)).json.code).toBe('webhook_not_found');
  });

  it('reject a change with an outdated ETag', async () => {
    const { id } = await create();
    const path = `/webhooks/${id}`;
    const etag = (await send('GET', path)).headers.get('etag');
    expect((await send('GET', path, undefined, { headers: { 'if-none-match': etag } })).status).toBe(304);
    const headers = { 'if-match': etag };
    expect((await send('PUT', path, input, { headers })).status).toBe(200);
    expect((await send('PUT', path, input, { headers })).json.code).toBe('precondition_failed');
    expect((await send('DELETE', path, undefined, { headers })).json.code).toBe('precondition_failed');
    expect((await send('DELETE', path)).status).toBe(200);
  });

  it.each([
    [{ ...input, url: 'http://example.com/' }, '/url'],
    [{ ...input, url: 'https://10.0.0.1/' }, '/url'],
    [{ ...input, url: 'https://localhost/' }, '/url'],
    [{ ...input, url: 'ftp://example.com/' }, '/url'],
    [{ ...input, url: '' }, '/url'],
    [{ ...input, events: [] }, '/events'],
    [{ ...input, events: ['function.exploded'] }, '/events/0'],
    [{ ...input, events: ['*', '*'] }, '/events'],
    [{ ...input, enabled: 'yes' }, '/enabled'],
    [{ url: input.url }, '/events'],
    [{ ...input, headers: {} }, '/headers'],
  ])('are refused for %j, with its pointer', async (body, pointer) => {
    const refused = await send('POST', '/webhooks', body);
    expect([refused.status, refused.json.code]).toEqual([400, 'invalid_request']);
    expect(refused.json.errors).toContainEqual(expect.objectContaining({ pointer }));
  });

  it('are refused with a body of more than 16 KiB', async () => {
    const body = { ...input, description: 'a'.repeat(17_000) };
    expect((await send('POST', '/webhooks', body)).json.code).toBe('body_too_large');
  });

  it('send nothing while they are disabled', async () => {
    const { id } = await create();
    expect((await send('POST', `/webhooks/${id}/test`)).json.code).toBe('webhook_disabled');
    const since = '2026-01-01T00:00:00Z';
    expect((await send('POST', `/webhooks/${id}/replay`, { since })).json.code).toBe('webhook_disabled');
    expect((await send('POST', `/webhooks/${id}/deliveries/delivery_0/retry`)).json.code).toBe('delivery_not_found');
    await send('DELETE', `/webhooks/${id}`);
  });

  it('send a test event, and replay missed events', async () => {
    const { id } = await create();
    // Nothing listens there, so the attempt fails fast; its outcome does not matter here.
    await send('PUT', `/webhooks/${id}`, { ...input, url: 'https://192.0.2.1/', enabled: false });
    const path = `/webhooks/${id}`;
    await send('PUT', path, { ...input, enabled: true, url: 'https://patchbay.invalid/' });
    const test = await send('POST', `${path}/test`, undefined, { headers: { 'idempotency-key': 'one' } });
    expect([test.status, test.json.eventType, test.json.state]).toEqual([202, 'webhook.test', 'waiting']);
    const again = await send('POST', `${path}/test`, undefined, { headers: { 'idempotency-key': 'one' } });
    expect(again.json).toEqual(test.json);
    const listed = async () => (await send('GET', `${path}/deliveries`)).json.data[0]?.log;
    await expect.poll(listed).toMatchObject([{ status: null, failure: 'name_not_resolved' }]);
    const retried = await send('POST', `${path}/deliveries/${test.json.id}/retry`);
    expect([retried.status, retried.json.id]).toEqual([202, test.json.id]);
    expect((await send('GET', `${path}/deliveries?state=delivered`)).json.meta.total).toBe(0);
    const replayed = await send('POST', `${path}/replay`, { since: '2026-01-01T01:00:00+01:00' });
    expect([replayed.status, replayed.json.since]).toEqual([202, '2026-01-01T00:00:00.000Z']);
    for (const since of ['2126-01-01T00:00:00Z', 'yesterday', '2026-13-01T00:00:00Z']) {
      const refused = await send('POST', `${path}/replay`, { since });
      expect([refused.status, refused.json.errors?.[0]?.pointer]).toEqual([400, '/since']);
    }
    await send('DELETE', path);
  });

  it('record every change in the audit log, without secrets', async () => {
    const token = 'umbrella/*';
    const { id, secret } = (await send('POST', '/webhooks', input, { token })).json;
    await send('PUT', `/webhooks/${id}`, input, { token });
    await send('POST', `/webhooks/${id}/rotate-secret`, undefined, { token });
    await send('POST', '/functions', sample, { token });
    await send('DELETE', `/webhooks/${id}`, undefined, { token });
    const { json, text } = await send('GET', '/audit', undefined, { token });
    expect(json.data.map(({ action }: { action: string }) => action)).toEqual([
      'webhook.deleted',
      'function.created',
      'webhook.rotated',
      'webhook.updated',
      'webhook.created',
    ]);
    expect(text).not.toContain(secret);
    expect(text).not.toContain('whsec_');
  });
});
