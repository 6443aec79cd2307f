import type { AppConfig } from '@patchbay/core';
import { definePlugin } from '@patchbay/core/plugin';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestApp, sample } from './fixtures/test-app.ts';
import { type Answer, type Client, transports, transportsOfServices } from './fixtures/transports.ts';

const slow = { requests: 1, seconds: 60 };

describe.each(transportsOfServices)('limits over %s', (_name, open) => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  /** A server whose clock stands still until the test advances it. */
  const start = async (config: Partial<AppConfig>) => {
    let now = Date.UTC(2026, 0, 1);
    const clock = { now: () => now, monotonic: () => now };
    const test = await createTestApp(config, { clock });
    const { app } = test;
    const client: Client = await open(app);
    stops.push(async () => {
      await client.close();
      await app.host.stop(0);
    });
    const pass = (seconds: number) => {
      now += seconds * 1_000;
    };
    return { app, client, pass, nextWaiting: () => test.nextWaiting() };
  };

  const headersOf = ({ headers }: Answer) => [headers.get('ratelimit-policy'), headers.get('ratelimit')];

  it('report the remaining quota in every response', async () => {
    const { client } = await start({});
    const policies = '"key";q=1000;w=10, "tenant";q=10000;w=10';
    expect(headersOf(await client.send('GET', '/functions'))).toEqual([
      policies,
      '"key";r=999;t=1, "tenant";r=9999;t=1',
    ]);
    expect(headersOf(await client.send('GET', '/functions/function_none'))).toEqual([
      policies,
      '"key";r=998;t=1, "tenant";r=9998;t=1',
    ]);
    expect(headersOf(await client.send('GET', '/nowhere'))[0]).toBe(policies);
    expect(headersOf(await client.send('DELETE', '/functions'))[0]).toBe(policies);
    expect(headersOf(await client.send('POST', '/functions', { raw: '{' }))[0]).toBe(policies);
    expect(headersOf(await client.send('POST', '/functions', { body: sample, as: 'reader' }))[0]).toBe(policies);
    expect(headersOf(await client.send('GET', '/functions', { as: null }))).toEqual([null, null]);
    expect(headersOf(await client.send('GET', '/healthz'))).toEqual([null, null]);
  });

  it('include the limit of the kind of operation', async () => {
    const { client } = await start({});
    const { json } = await client.send('POST', '/functions', { body: sample });
    const executed = await client.send('POST', `/functions/${json.id}/execute`, { body: { input: { text: 'a' } } });
    expect(executed.status).toBe(200);
    expect(headersOf(executed)[0]).toMatch(/"key-execute";q=200;w=4, "tenant-execute";q=2000;w=4$/);
    const asked = await client.send('POST', '/generate', { body: { prompt: 'a' } });
    expect(headersOf(asked)[0]).toMatch(/"key-model";q=200;w=4, "tenant-model";q=2000;w=4$/);
  });

  it('reject excess requests with Retry-After', async () => {
    const { client, pass } = await start({ limits: { key: { all: { requests: 2, seconds: 1, burst: 3 } } } });
    for (let count = 0; count < 3; count += 1) expect((await client.send('GET', '/functions')).status).toBe(200);
    const refused = await client.send('GET', '/functions');
    expect(refused.status).toBe(429);
    expect(refused.json).toMatchObject({ code: 'rate_limited', retryable: true, 'violated-policies': ['key'] });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(headersOf(refused)).toEqual(['"key";q=3;w=2, "tenant";q=10000;w=10', '"key";r=0;t=1, "tenant";r=9997;t=1']);
    pass(1);
    expect((await client.send('GET', '/functions')).status).toBe(200);
  });

  it('a client that waits for Retry-After is not refused again', async () => {
    const { client, pass } = await start({ limits: { key: { all: { requests: 7, seconds: 3, burst: 5 } } } });
    let served = 0;
    let waits = 0;
    while (served < 60) {
      const answer = await client.send('GET', '/functions');
      if (answer.status === 200) {
        served += 1;
        continue;
      }
      waits += 1;
      pass(Number(answer.headers.get('retry-after')));
      expect((await client.send('GET', '/functions')).status).toBe(200);
      served += 1;
    }
    expect(waits).toBeGreaterThan(15);
  });

  it('count keys separately, and the keys of a tenant together', async () => {
    const { client } = await start({
      limits: { key: { all: { ...slow, burst: 3 } }, tenant: { all: { ...slow, burst: 5 } } },
    });
    const statuses = async (as: 'admin' | 'reader' | 'stranger', count: number) => {
      const answers: number[] = [];
      for (let index = 0; index < count; index += 1)
        answers.push((await client.send('GET', '/functions', { as })).status);
      return answers;
    };
    expect(await statuses('admin', 4)).toEqual([200, 200, 200, 429]);
    expect(await statuses('reader', 3)).toEqual([200, 200, 429]);
    expect(await statuses('stranger', 4)).toEqual([200, 200, 200, 429]);
  });

  it('count exactly under 300 concurrent requests', async () => {
    const { client } = await start({ limits: { key: { all: { ...slow, burst: 120 } } } });
    const answers = await Promise.all(Array.from({ length: 300 }, () => client.send('GET', '/functions')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(120);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(180);
  });

  it('a tenant can have separate limits', async () => {
    const { client } = await start({ tenants: { acme: { limits: { rateLimit: { ...slow, burst: 1 } } } } });
    expect((await client.send('GET', '/functions')).status).toBe(200);
    expect((await client.send('GET', '/functions')).json).toMatchObject({ 'violated-policies': ['tenant'] });
    expect((await client.send('GET', '/functions', { as: 'stranger' })).status).toBe(200);
  });

  it('bound concurrent requests, and free the slot however the handler ends', async () => {
    const { app, client, nextWaiting } = await start({ limits: { key: { concurrent: { execute: 2 } } } });
    const pathOf = async (code: string, as: 'admin' | 'stranger' = 'admin') => {
      const { json } = await client.send('POST', '/functions', { body: { ...sample, code }, as });
      return `/functions/${json.id}/execute`;
    };
    const body = { input: { text: 'a' } };
    const wait = await pathOf('wait');
    const echo = await pathOf('echo');
    const crash = await pathOf('crash');
    for (let count = 0; count < 3; count += 1) {
      expect((await client.send('POST', crash, { body })).status).toBe(500);
      expect((await client.send('POST', echo, { body: {} })).status).toBe(400);
      expect((await client.send('POST', echo, { body: { input: {} } })).status).toBe(422);
    }
    const held: Promise<Answer>[] = [];
    for (let count = 0; count < 2; count += 1) {
      const waiting = nextWaiting();
      held.push(client.send('POST', wait, { body }));
      await waiting;
    }
    const { status, json, headers } = await client.send('POST', echo, { body });
    expect([status, json.code, headers.get('retry-after')]).toEqual([429, 'concurrency_limited', '1']);
    expect((await client.send('GET', '/functions')).status).toBe(200);
    expect((await client.send('POST', '/generate', { body: { prompt: 'a' } })).status).toBe(503);
    const foreign = await pathOf('echo', 'stranger');
    expect((await client.send('POST', foreign, { body, as: 'stranger' })).status).toBe(200);
    await app.host.stop(0);
    for (const answer of await Promise.all(held)) expect(answer.status).toBe(503);
  });

  it('count the keys of a tenant together', async () => {
    const { app, client, nextWaiting } = await start({ limits: { tenant: { concurrent: { execute: 1 } } } });
    const created = await client.send('POST', '/functions', { body: { ...sample, code: 'wait' } });
    const path = `/functions/${created.json.id}/execute`;
    const waiting = nextWaiting();
    const held = client.send('POST', path, { body: { input: { text: 'a' } } });
    await waiting;
    const refused = await client.send('POST', path, { body: { input: { text: 'a' } } });
    expect(refused.json).toMatchObject({
      code: 'concurrency_limited',
      detail: expect.stringContaining('per tenant, 1,'),
    });
    await app.host.stop(0);
    expect((await held).status).toBe(503);
  });

  it('can be turned off one by one and altogether', async () => {
    const parts = await start({ limits: { key: { all: { off: true } } } });
    expect(headersOf(await parts.client.send('GET', '/functions'))[0]).toBe('"tenant";q=10000;w=10');
    const none = await start({ limits: { off: true, key: { all: { ...slow, burst: 1 } } } });
    for (let count = 0; count < 3; count += 1) {
      const answer = await none.client.send('GET', '/functions');
      expect([answer.status, ...headersOf(answer)]).toEqual([200, null, null]);
    }
  });

  it('fall back to counting in the process when the mounted limiter fails', async () => {
    const broken = definePlugin({
      name: 'broken-limiter',
      kind: 'rateLimiter',
      version: 1,
      config: { properties: {} },
      create: () => ({
        consume: () => Promise.reject(new Error('connection refused')),
        adjust: () => Promise.reject(new Error('connection refused')),
      }),
    });
    const { app, client } = await start({
      rateLimiter: { use: broken },
      limits: { key: { all: { ...slow, burst: 2 } } },
    });
    const statuses: number[] = [];
    for (let count = 0; count < 3; count += 1) statuses.push((await client.send('GET', '/functions')).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect((await app.host.health()).parts['limits']).toMatchObject({ status: 'warn' });
  });
});

describe('guessing tokens', () => {
  it('triggers a rate limit by address', async () => {
    const [, open] = transports[0] ?? [];
    const { app } = await createTestApp({ limits: { failedAuthentication: { ...slow, burst: 3 } } });
    const client = await open?.(app);
    const guess = async (token: string) =>
      await client?.send('GET', '/functions', { as: null, headers: { authorization: `Bearer ${token}` } });
    for (let count = 0; count < 3; count += 1) expect((await guess(`guess-${count}`))?.status).toBe(401);
    const refused = await guess('guess-4');
    expect(refused?.status).toBe(429);
    expect(refused?.json.code).toBe('rate_limited');
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    await client?.close();
    await app.host.stop(0);
  });
});
