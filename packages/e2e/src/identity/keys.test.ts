import { scopes as allScopes } from '@patchbay/core/plugin';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { echo } from '../driver/sample-functions.ts';
import { type Identity, movingClock, startIdentity } from './fixtures/start-identity.ts';

const clock = movingClock();
const later = (ms: number) => new Date(clock.now() + ms).toISOString();
let identity: Identity;

beforeAll(async () => {
  identity = await startIdentity({ clock });
});

afterAll(async () => {
  await identity.app.host.stop(0);
});

const send: Identity['send'] = (...given) => identity.send(...given);
const makeKey: Identity['makeKey'] = (...given) => identity.makeKey(...given);
const tryKey = async (key: string, from?: string): Promise<string> => {
  const { status, json } = await send('GET', '/functions', { key, ...(from && { from }) });
  return status === 200 ? 'ok' : `${status} ${json.code}`;
};

describe('POST /keys', () => {
  it('answers with everything of the key, and this once with its secret', async () => {
    const rateLimit = { requests: 10, seconds: 1, burst: 20 };
    const budget = { usd: 2.5, period: 'day' };
    const input = {
      name: 'CI',
      scopes: ['functions:read'],
      expiresAt: later(60_000),
      ipAddresses: ['192.0.2.0/24'],
      rateLimit,
      budget,
    };
    const { status, headers, json } = await send('POST', '/keys', { body: input });
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`/keys/${json.id}`);
    expect(headers.get('cache-control')).toBe('no-store');
    const { key, ...rest } = json;
    expect(key).toMatch(/^pbk_live_\w{12}_\w{38}$/);
    expect(rest).toEqual({
      id: expect.stringMatching(/^key_\w{26}$/),
      ...input,
      createdAt: new Date(clock.now()).toISOString(),
      functions: null,
      createdBy: 'key_bootstrap',
      revokedAt: null,
      lastUsedAt: null,
      rotatedAt: null,
      previousUntil: null,
    });
    const read = await send('GET', `/keys/${json.id}`);
    expect(read.json).toEqual(rest);
    const listed = await send('GET', '/keys');
    expect(listed.json.data).toContainEqual(rest);
    expect(read.text + listed.text).not.toContain(key.slice(-38));
    expect(await tryKey(key)).toBe('ok');
  });

  it.each([
    ['id', 'key_00000000000000000000000009'],
    ['createdAt', '2026-01-01T00:00:00.000Z'],
    ['createdBy', 'somebody'],
    ['revokedAt', null],
    ['lastUsedAt', null],
    ['rotatedAt', null],
    ['previousUntil', null],
    ['previousHash', 'a'],
    ['secretHash', 'a'],
    ['secret', 'a'],
    ['key', 'pbk_live_x'],
    ['lookupId', 'a'],
    ['revision', 1],
    ['tenant', 'other'],
    ['kind', 'user'],
    ['__proto__', {}],
  ])('rejects %s in a request', async (field, value) => {
    const body = JSON.parse(`{"name":"k","scopes":["*"],${JSON.stringify(field)}:${JSON.stringify(value)}}`);
    const { status, json } = await send('POST', '/keys', { body });
    expect({ status, code: json.code, errors: json.errors }).toEqual({
      status: 400,
      code: 'invalid_request',
      errors: [expect.objectContaining({ pointer: `/${field}`, code: 'unknown_field' })],
    });
  });

  it.each([
    ['/name', { name: '' }],
    ['/name', { name: 'a\nb' }],
    ['/scopes', { scopes: [] }],
    ['/scopes', { scopes: undefined }],
    ['/scopes', { scopes: ['*', '*'] }],
    ['/scopes/0', { scopes: ['admin'] }],
    ['/expiresAt', { expiresAt: 'tomorrow' }],
    ['/expiresAt', { expiresAt: '2026-13-45T00:00:00Z' }],
    ['/expiresAt', { expiresAt: '2020-01-01T00:00:00Z' }],
    ['/ipAddresses', { ipAddresses: [] }],
    ['/ipAddresses/1', { ipAddresses: ['10.0.0.1', '10.0.0.256'] }],
    ['/ipAddresses/0', { ipAddresses: ['10.0.0.0/33'] }],
    ['/ipAddresses/0', { ipAddresses: ['::/129'] }],
    ['/ipAddresses/0', { ipAddresses: ['fe80::1%eth0'] }],
    ['/ipAddresses/0', { ipAddresses: ['example.com'] }],
    ['/rateLimit/burst', { rateLimit: { requests: 1, seconds: 1 } }],
    ['/rateLimit/requests', { rateLimit: { requests: 0, seconds: 1, burst: 1 } }],
    ['/budget/usd', { budget: { usd: 0, period: 'day' } }],
    ['/budget/period', { budget: { usd: 1, period: 'week' } }],
  ])('points at %s of %j', async (pointer, input) => {
    const { status, json } = await send('POST', '/keys', { body: { name: 'k', scopes: ['*'], ...input } });
    expect([status, json.code]).toEqual([400, 'invalid_request']);
    expect(json.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer);
  });

  it('refuses scopes and limits beyond those of the caller', async () => {
    const names = [...Object.keys(allScopes), '*'];
    const { key } = await makeKey({ scopes: ['keys:write', 'functions:read', 'usage:read'] });
    const own = new Set(['keys:write', 'functions:read', 'usage:read']);
    for (const [index, one] of names.entries()) {
      for (const scopes of [[one], [...new Set([one, 'functions:read', names[(index + 5) % names.length]])]]) {
        const { status, json } = await send('POST', '/keys', { key, body: { name: 'k', scopes } });
        const lacking = scopes.flatMap((scope, place) => (own.has(String(scope)) ? [] : [`/scopes/${place}`]));
        const pointers = (json.errors ?? []).map((error: { pointer: string }) => error.pointer);
        const outcome = { status, code: json.code, pointers, scopes: json.scopes };
        expect(outcome).toEqual(
          lacking.length === 0
            ? { status: 201, code: undefined, pointers: [], scopes }
            : { status: 403, code: 'insufficient_scope', pointers: lacking, scopes: undefined },
        );
      }
    }
  });

  it('refuses an expiry after that of the key it is called with', async () => {
    const expiresAt = later(60_000);
    const { key } = await makeKey({ expiresAt });
    expect(await makeKey({}, key)).toMatchObject({ expiresAt });
    expect(await makeKey({ expiresAt: later(30_000) }, key)).toMatchObject({ expiresAt: later(30_000) });
    const { status, json } = await send('POST', '/keys', {
      key,
      body: { name: 'k', scopes: ['*'], expiresAt: later(60_001) },
    });
    expect([status, json.errors[0]]).toEqual([
      400,
      expect.objectContaining({ pointer: '/expiresAt', code: 'too_late' }),
    ]);
  });
});

describe('a key', () => {
  it('stops working within a second of its revocation, and stays in the list', async () => {
    const { id, key } = await makeKey();
    expect(await tryKey(key)).toBe('ok');
    expect((await send('DELETE', `/keys/${id}`)).json).toEqual({ success: true, message: `key ${id} was revoked` });
    clock.advance(1_000);
    expect(await tryKey(key)).toBe('401 key_revoked');
    const { json } = await send('GET', `/keys/${id}`);
    expect(json.revokedAt).toBeTypeOf('string');
    expect((await send('DELETE', `/keys/${id}`)).status).toBe(200);
    expect((await send('GET', `/keys/${id}`)).json).toEqual(json);
    expect((await send('POST', `/keys/${id}/rotate`)).json.code).toBe('key_inactive');
  });

  it('pauses its schedules when it is revoked', async () => {
    const { id, key } = await makeKey({ scopes: ['functions:write', 'functions:execute'] });
    const source = { ...echo, name: 'Run Nightly' };
    const { json: made } = await send('POST', '/functions', { key, body: source });
    const body = { cron: '0 3 * * *', input: { text: 'a' } };
    const { json: schedule } = await send('POST', `/functions/${made.id}/schedules`, { key, body });
    expect(schedule.enabled).toBe(true);
    await send('DELETE', `/keys/${id}`);
    const { json } = await send('GET', `/functions/${made.id}/schedules/${schedule.id}`);
    expect(json).toMatchObject({ enabled: false, pausedReason: 'key_revoked' });
  });

  it('stops working when it expires', async () => {
    const { id, key } = await makeKey({ expiresAt: later(5_000) });
    clock.advance(4_999);
    expect(await tryKey(key)).toBe('ok');
    clock.advance(1);
    expect(await tryKey(key)).toBe('401 token_expired');
    expect((await send('POST', `/keys/${id}/rotate`)).json.code).toBe('key_inactive');
  });

  it('accepts two secrets during a rotation, never three, and for a day at most', async () => {
    const { id, key: first } = await makeKey();
    const { status, json } = await send('POST', `/keys/${id}/rotate`);
    const second = json.key;
    expect([status, json.previousUntil]).toEqual([200, later(86_400_000)]);
    expect(second.slice(0, 21)).toBe(first.slice(0, 21));
    clock.advance(1_000);
    expect([await tryKey(first), await tryKey(second)]).toEqual(['ok', 'ok']);
    const { key: third } = (await send('POST', `/keys/${id}/rotate`, { body: { graceSeconds: 60 } })).json;
    clock.advance(1_000);
    expect(await Promise.all([first, second, third].map((key) => tryKey(key)))).toEqual([
      '401 invalid_token',
      'ok',
      'ok',
    ]);
    clock.advance(59_000);
    expect(await Promise.all([second, third].map((key) => tryKey(key)))).toEqual(['401 token_expired', 'ok']);
    const { key: fourth } = (await send('POST', `/keys/${id}/rotate`, { body: { graceSeconds: 0 } })).json;
    clock.advance(1_000);
    expect(await Promise.all([third, fourth].map((key) => tryKey(key)))).toEqual(['401 invalid_token', 'ok']);
    for (const graceSeconds of [-1, 86_401, 0.5, '60']) {
      expect((await send('POST', `/keys/${id}/rotate`, { body: { graceSeconds } })).json.errors[0].pointer).toBe(
        '/graceSeconds',
      );
    }
  });

  it('that may do more cannot be taken over or shut out', async () => {
    const { id } = await makeKey();
    const { key } = await makeKey({ scopes: ['keys:write'] });
    for (const [method, path] of [
      ['POST', `/keys/${id}/rotate`],
      ['DELETE', `/keys/${id}`],
    ] as const) {
      expect((await send(method, path, { key })).json.code).toBe('insufficient_scope');
    }
    expect((await send('GET', `/keys/${id}`)).json).toMatchObject({ revokedAt: null, rotatedAt: null });
  });

  it('made by a key that is limited is limited as much, and gets no other key', async () => {
    const limits = {
      ipAddresses: ['192.0.2.0/24'],
      rateLimit: { requests: 5, seconds: 1, burst: 50 },
      budget: { usd: 10, period: 'month' },
    };
    const { key } = await makeKey(limits);
    const inherited = await makeKey({}, key);
    expect(inherited).toMatchObject(limits);
    const less = { ipAddresses: ['192.0.2.1'], rateLimit: { requests: 1, seconds: 1, burst: 1 } };
    expect(await makeKey(less, key)).toMatchObject({ ...less, budget: limits.budget });

    const more = {
      ipAddresses: ['192.0.2.1', '0.0.0.0/0'],
      rateLimit: { requests: 6, seconds: 1, burst: 50 },
      budget: { usd: 10, period: 'day' },
    };
    const body = { name: 'k', scopes: ['*'], ...more };
    const refused = await send('POST', '/keys', { key: inherited.key, body });
    expect(refused.status).toBe(400);
    expect(refused.json.errors.map(({ pointer, code }: Record<string, string>) => `${pointer} ${code}`)).toEqual([
      '/ipAddresses/1 too_much',
      '/rateLimit too_much',
      '/budget too_much',
    ]);
    expect(refused.json.errors[1].detail).toBe("must be at most 5 requests per 1 seconds, 50 at once, as the caller's");

    const { id: other } = await makeKey({});
    const rotated = await send('POST', `/keys/${other}/rotate`, { key, body: {} });
    expect([rotated.status, rotated.json.code]).toEqual([403, 'insufficient_scope']);
    expect((await send('POST', `/keys/${inherited.id}/rotate`, { key, body: {} })).status).toBe(200);
  });

  it('works from its addresses only', async () => {
    const { key } = await makeKey({ ipAddresses: ['10.1.0.0/16', '192.0.2.7', '2001:db8::/32'] });
    for (const from of ['10.1.255.255', '192.0.2.7', '::ffff:192.0.2.7', '2001:db8::1', '2001:0db8:ffff::']) {
      expect(await tryKey(key, from), from).toBe('ok');
    }
    for (const from of ['10.2.0.0', '192.0.2.8', '::ffff:10.2.0.0', '2001:db9::1', '::1', 'nonsense']) {
      expect(await tryKey(key, from), from).toBe('403 address_not_allowed');
    }
    const forwarded = { 'x-forwarded-for': '10.1.0.1' };
    expect((await send('GET', '/functions', { key, headers: forwarded })).status).toBe(403);
    const other = key.endsWith('x') ? 'y' : 'x';
    expect(await tryKey(key.slice(0, -1) + other, '10.2.0.0')).toBe('401 invalid_token');
  });

  it('of a proxied client works from the address that the proxy saw', async () => {
    const proxied = await startIdentity({ clock, api: { trustedProxies: ['10.0.0.0/8'] } });
    const { key } = await proxied.makeKey({ ipAddresses: ['203.0.113.9'] });
    const statusOf = async (from: string, forwarded: string) =>
      (await proxied.send('GET', '/functions', { key, from, headers: { 'x-forwarded-for': forwarded } })).status;
    expect(await statusOf('10.0.0.1', '203.0.113.9')).toBe(200);
    expect(await statusOf('10.0.0.1', '203.0.113.9, 198.51.100.1')).toBe(403);
    expect(await statusOf('198.51.100.1', '203.0.113.9')).toBe(403);
    await proxied.app.host.stop(0);
  });
});

describe('keys of others', () => {
  it('require the scope', async () => {
    const { key } = await makeKey({ scopes: Object.keys(allScopes).filter((scope) => scope !== 'keys:write') });
    for (const [method, path] of [
      ['GET', '/keys'],
      ['GET', '/keys/x'],
      ['POST', '/keys'],
      ['POST', '/keys/x/rotate'],
      ['DELETE', '/keys/x'],
    ] as const) {
      expect((await send(method, path, { key })).json).toMatchObject({
        code: 'insufficient_scope',
        scope: 'keys:write',
      });
    }
  });

  it('answer 404 where they do not exist', async () => {
    for (const [method, path] of [
      ['GET', '/keys/x'],
      ['POST', '/keys/x/rotate'],
      ['DELETE', '/keys/x'],
    ] as const) {
      expect((await send(method, path)).json.code).toBe('key_not_found');
    }
  });

  it('page through a cursor', async () => {
    for (let index = 0; index < 3; index += 1) await makeKey({ name: `page ${index}` });
    const first = (await send('GET', '/keys?limit=2')).json;
    expect(first.data.map(({ name }: { name: string }) => name)).toEqual(['page 2', 'page 1']);
    const next = (await send('GET', `/keys?limit=2&cursor=${first.meta.nextCursor}`)).json;
    expect(next.data[0].name).toBe('page 0');
    expect(first.meta.total).toBe(next.meta.total);
  });
});

describe('credentials', () => {
  it.each([
    ['two of them', { 'x-api-key': 'pbk_live_another' }, '/functions', 400, 'invalid_request'],
    ['in the query', {}, '/functions?api_key=abc', 400, 'invalid_request'],
    ['in the query, as OAuth had it once', {}, '/functions?access_token=abc', 400, 'invalid_request'],
    ['of another scheme', { authorization: 'Basic YTpi' }, '/functions', 401, 'invalid_token'],
  ] as const)('respond with an error: %s', async (_, headers, path, status, code) => {
    const answer = await send('GET', path, { headers });
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });

  it('that are garbled are refused alike, whatever is wrong', async () => {
    const { key } = await makeKey();
    const garbled = [
      ...Array.from({ length: 20 }, (_, index) => key.slice(0, key.length - 1 - index * 2)),
      `${key}a`,
      key.toUpperCase(),
      key.replace('pbk_live', 'pbk_test'),
      key.slice(0, 20) + key.slice(20).split('').reverse().join(''),
      'pbk_',
      `pbk_live_${'0'.repeat(12)}_${'0'.repeat(38)}`,
    ];
    const answers = await Promise.all(garbled.map((token) => send('GET', '/functions', { key: token })));
    const bodies = new Set(answers.map(({ text, json }) => text.replaceAll(json.requestId, '')));
    expect(answers.every(({ status }) => status === 401)).toBe(true);
    expect([...bodies]).toHaveLength(1);
    expect([...bodies][0]).toContain('"invalid_token"');
  });
});
