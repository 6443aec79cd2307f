import { definePlugin } from '@patchbay/core/plugin';
import { createMemoryStorage } from '@patchbay/core/storage';
import { afterEach, describe, expect, it } from 'vitest';
import { scriptedProvider } from './fixtures/scripted-provider.ts';
import { createTestApp, sample } from './fixtures/test-app.ts';
import { type Client, transportsOfServices } from './fixtures/transports.ts';

const DAY_MS = 86_400_000;

describe.each(transportsOfServices)('Idempotency-Key over %s', (_name, open) => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  const start = async (storage = createMemoryStorage()) => {
    let now = Date.UTC(2026, 0, 1);
    const clock = { now: () => now, monotonic: () => now };
    const kept = definePlugin({
      name: 'kept-storage',
      kind: 'storage',
      version: 1,
      config: { properties: {} },
      create: () => storage,
    });
    const config = {
      storage: { use: kept },
      secret: 'a root secret that stays the same.',
      providers: { acme: { use: scriptedProvider } },
      limits: { off: true },
    };
    const test = await createTestApp(config, { clock });
    const client: Client = await open(test.app);
    stops.push(async () => {
      await client.close();
      await test.app.host.stop(0);
    });
    const post = (path: string, body: unknown, key: string, as: 'admin' | 'reader' | 'stranger' = 'admin') =>
      client.send('POST', path, { body, as, headers: { 'idempotency-key': key } });
    const pass = (ms: number) => {
      now += ms;
    };
    const functions = async () => (await client.send('GET', '/functions')).json.meta.total as number;
    return { ...test, client, post, pass, functions, storage };
  };

  const functionWith = async ({ client }: Awaited<ReturnType<typeof start>>, code: string) => {
    const { json } = await client.send('POST', '/functions', { body: { ...sample, code } });
    return `/functions/${json.id}/execute`;
  };
  const input = { input: { text: 'a' } };

  it('runs a request once, and returns the same response however often it is sent', async () => {
    const { post, functions } = await start();
    const first = await post('/functions', sample, 'k1');
    const again = await post('/functions', sample, 'k1');
    expect([again.status, again.text]).toEqual([201, first.text]);
    for (const name of ['content-type', 'location', 'etag']) {
      expect(again.headers.get(name), name).toBe(first.headers.get(name));
    }
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.headers.get('request-id')).not.toBe(first.headers.get('request-id'));
    expect(await functions()).toBe(1);
  });

  it('replays a request that differs only in whitespace or member order', async () => {
    const { client, post } = await start();
    const first = await post('/functions', sample, 'k1');
    const spaced = JSON.stringify(sample, undefined, 2);
    const again = await client.send('POST', '/functions', { raw: spaced, headers: { 'idempotency-key': 'k1' } });
    expect(again.text).toBe(first.text);
  });

  it('refuses the key for another request', async () => {
    const { post, functions } = await start();
    await post('/functions', sample, 'k1');
    const other = await post('/functions', { ...sample, name: 'Other' }, 'k1');
    expect([other.status, other.json.code]).toEqual([422, 'idempotency_key_reused']);
    expect(await functions()).toBe(1);
  });

  it('applies per caller, tenant and endpoint', async () => {
    const test = await start();
    const path = await functionWith(test, 'echo');
    const other = await functionWith(test, 'echo');
    const ids = new Set<string>();
    for (const answer of [
      await test.post('/functions', sample, 'k1'),
      await test.post('/functions', sample, 'k1', 'stranger'),
      await test.post(path, input, 'k1'),
      await test.post(other, input, 'k1'),
    ]) {
      expect(answer.headers.get('idempotency-replayed')).toBeNull();
      ids.add(answer.json.id);
    }
    expect(ids.size).toBe(4);
  });

  it('runs one of 100 concurrent requests', async () => {
    const { post, functions } = await start();
    const answers = await Promise.all(Array.from({ length: 100 }, () => post('/functions', sample, 'k1')));
    expect(await functions()).toBe(1);
    const created = answers.filter(({ status }) => status === 201);
    const waiting = answers.filter(({ status }) => status === 409);
    expect(new Set(created.map(({ text }) => text)).size).toBe(1);
    expect(created.length + waiting.length).toBe(100);
    for (const { json, headers } of waiting) {
      expect([json.code, headers.get('retry-after')]).toEqual(['idempotency_in_progress', '1']);
    }
  });

  it('responds 409 while the first request is running', async () => {
    const test = await start();
    const path = await functionWith(test, 'wait');
    const waiting = test.nextWaiting();
    const first = test.post(path, input, 'k1');
    await waiting;
    const again = await test.post(path, input, 'k1');
    expect([again.status, again.json.code]).toEqual([409, 'idempotency_in_progress']);
    await test.app.host.stop(0);
    expect((await first).status).toBe(503);
  });

  it('replays the failure of what was run', async () => {
    const test = await start();
    const path = await functionWith(test, 'fail');
    const first = await test.post(path, input, 'k1');
    const again = await test.post(path, input, 'k1');
    expect(first.json.code).toBe('function_failed');
    expect([again.status, again.text]).toEqual([422, first.text]);
    expect(again.headers.get('content-type')).toBe('application/problem+json');
  });

  it('ignores requests that were rejected before any work started', async () => {
    const test = await start();
    const path = await functionWith(test, 'echo');
    for (const body of [{ input: {} }, { input: 1 }, {}]) {
      const refused = await test.post(path, body, 'k1');
      expect(refused.status).toBeGreaterThanOrEqual(400);
    }
    expect((await test.post('/functions/function_none/execute', input, 'k1')).status).toBe(404);
    expect((await test.post(path, input, 'k1')).status).toBe(200);
  });

  it('lets a failed model call be retried', async () => {
    const { post } = await start();
    // Three failures in a row open the circuit of a model, and a request may be two of them.
    const closeCircuit = (key: string) => post('/generate', { prompt: 'hello', model: 'acme/large' }, key);
    for (let count = 0; count < 2; count += 1) {
      const failed = await post('/generate', { prompt: 'crash', model: 'acme/large' }, 'k1');
      expect([failed.status, failed.json.code]).toEqual([502, 'provider_error']);
      await closeCircuit(`after-failed-${count}`);
      const cut = await post('/generate', { prompt: 'a CUT', model: 'acme/large', stream: true }, 'k2');
      expect(cut.text).toContain('event: error');
      await closeCircuit(`after-cut-${count}`);
      for (const { headers } of [failed, cut]) expect(headers.get('idempotency-replayed')).toBeNull();
    }
  });

  it('replays a model response, with its route', async () => {
    const { post } = await start();
    const first = await post('/generate', { prompt: 'hello', model: 'acme/large' }, 'k1');
    const again = await post('/generate', { prompt: 'hello', model: 'acme/large' }, 'k1');
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers.get('patchbay-route')).toBe(first.headers.get('patchbay-route'));
  });

  it('replays a stream as the text that was sent', async () => {
    const { post } = await start();
    const body = { prompt: 'hello', model: 'acme/large', stream: true };
    const first = await post('/generate', body, 'k1');
    const again = await post('/generate', body, 'k1');
    expect(first.text).toContain('event: done');
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers.get('content-type')).toBe('text/event-stream');
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  it('never reruns what a crash has cut off', async () => {
    const before = await start();
    const path = await functionWith(before, 'wait');
    const waiting = before.nextWaiting();
    const first = before.post(path, input, 'k1').catch(() => undefined);
    await waiting;
    const beside = await start(before.storage);
    expect((await beside.post(path, input, 'k1')).json.code).toBe('idempotency_in_progress');
    // Both processes are gone, and another one finds what the first left on disk.
    for (const { tenant, row } of await before.storage.scanAllTenants('instances', {}, 10)) {
      await before.storage.commit(tenant, [{ delete: 'instances', id: row.id }]);
    }
    const after = await start(before.storage);
    const again = await after.post(path, input, 'k1');
    expect([again.status, again.json.code, again.json.retryable]).toEqual([409, 'idempotency_answer_lost', false]);
    await before.app.host.stop(0);
    await first;
  });

  it('replays sealed responses after a restart', async () => {
    const before = await start();
    const first = await before.post('/functions', { ...sample, description: 'a canary' }, 'k1');
    const rows = await before.storage.scanAllTenants('idempotencyKeys', {}, 10);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain('canary');
    const after = await start(before.storage);
    const again = await after.post('/functions', { ...sample, description: 'a canary' }, 'k1');
    expect([again.status, again.text]).toEqual([201, first.text]);
  });

  it('forgets a key after 24 hours', async () => {
    const { post, pass, functions } = await start();
    await post('/functions', sample, 'k1');
    pass(DAY_MS - 1);
    expect((await post('/functions', sample, 'k1')).headers.get('idempotency-replayed')).toBe('true');
    pass(1);
    expect((await post('/functions', { ...sample, name: 'Other' }, 'k1')).status).toBe(201);
    expect(await functions()).toBe(2);
  });

  it('refuses malformed keys', async () => {
    const { client, functions } = await start();
    for (const key of ['a b', 'x'.repeat(256), 'caf\u00e9']) {
      const answer = await client.send('POST', '/functions', { body: sample, headers: { 'idempotency-key': key } });
      expect([answer.status, answer.json.code], key).toEqual([400, 'invalid_request']);
    }
    const longest = { 'idempotency-key': 'x'.repeat(255) };
    expect((await client.send('POST', '/functions', { body: sample, headers: longest })).status).toBe(201);
    expect(await functions()).toBe(1);
  });

  it('leaves other methods unaffected', async () => {
    const { client } = await start();
    const headers = { 'idempotency-key': 'a b' };
    expect((await client.send('GET', '/functions', { headers })).status).toBe(200);
  });
});
