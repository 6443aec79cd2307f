import { operations, sessionOperations } from '@patchbay/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminKey, type Identity, movingClock, type Sending, startIdentity } from './fixtures/start-identity.ts';

const clock = movingClock();
let identity: Identity;

beforeAll(async () => {
  identity = await startIdentity({
    clock,
    api: { operations: [...operations, ...sessionOperations], trustedOrigins: ['https://trusted.example'] },
    // Attempts to guess are counted by address: each test has its own.
    config: { limits: { failedAuthentication: { requests: 1, seconds: 60, burst: 5 } } },
  });
});
afterAll(() => identity.app.host.stop(0));

const page = { 'patchbay-console': '1', 'sec-fetch-site': 'same-origin', origin: 'https://localhost' };

const send: Identity['send'] = (...given) => identity.send(...given);

/** Sign in, as the console does. The cookie as browsers send it back. */
async function signIn(key = adminKey, headers: Readonly<Record<string, string>> = page) {
  const answer = await send('POST', '/console/session', { key, headers });
  const set = answer.headers.get('set-cookie') ?? '';
  return { answer, set, cookie: set.split(';')[0] ?? '' };
}

const withCookie = (cookie: string, more: Sending = {}): Sending => ({
  key: null,
  ...more,
  headers: { ...page, ...more.headers, cookie },
});

describe('signing in', () => {
  it('exchanges a key for a cookie that scripts and other sites cannot use, and tells whose it is', async () => {
    const made = await identity.makeKey({ name: 'Ada', scopes: ['functions:read', 'keys:write'] });
    const { answer, set, cookie } = await signIn(made.key);
    expect(answer.status).toBe(201);
    expect(set).toMatch(
      /^__Host-patchbay_[\da-f]{8}=pbs_[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure$/,
    );
    const endsAt = new Date(clock.now() + 43_200_000).toISOString();
    const caller = {
      id: made.id,
      kind: 'api-key',
      name: 'Ada',
      tenant: 'default',
      scopes: ['functions:read', 'keys:write'],
      functions: null,
      endsAt,
    };
    expect(answer.json).toEqual(caller);
    expect((await send('GET', '/console/session', withCookie(cookie))).json).toEqual(caller);
    expect((await send('GET', '/functions', withCookie(cookie))).status).toBe(200);
    expect(answer.text).not.toContain(cookie.split('=')[1]);
  });

  it('sets a cookie without Secure where the page came without TLS', async () => {
    const { set, cookie } = await signIn(adminKey, { ...page, origin: 'http://localhost' });
    expect(set).toMatch(/^patchbay_[\da-f]{8}=pbs_[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
    expect((await send('GET', '/functions', withCookie(cookie))).status).toBe(200);
  });

  it('needs a valid key, and is slowed down like every guess', async () => {
    const wrong = `pbk_live_${'0'.repeat(12)}_${'0'.repeat(38)}`;
    const attempt = async () => {
      const { status, headers } = await send('POST', '/console/session', {
        key: wrong,
        headers: page,
        from: '192.0.2.9',
      });
      return [status, headers.get('set-cookie')];
    };
    const answers: unknown[] = [];
    for (let count = 0; count < 7; count += 1) answers.push(await attempt());
    expect(answers).toEqual([...Array<unknown>(5).fill([401, null]), [429, null], [429, null]]);
    const none = await send('POST', '/console/session', { key: null, headers: page });
    expect([none.status, none.json.code]).toEqual([401, 'unauthenticated']);
  });

  it.each([
    ['another site', { ...page, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['a sibling site', { ...page, 'sec-fetch-site': 'same-site', origin: 'https://sibling.localhost' }],
    [
      'an origin that hosts trust otherwise',
      { ...page, 'sec-fetch-site': 'cross-site', origin: 'https://trusted.example' },
    ],
    ['a page without the header of the console', { origin: 'https://localhost', 'sec-fetch-site': 'same-origin' }],
  ])('is refused for %s', async (_name, headers) => {
    const { answer, set } = await signIn(adminKey, headers);
    expect([answer.status, answer.json.code, set]).toEqual([403, 'cross_site_request', '']);
  });

  it('without credentials, GET answers that there is no caller; a wrong key is refused', async () => {
    const { status, json } = await send('GET', '/console/session', { key: null });
    expect([status, json]).toEqual([200, null]);
    expect((await send('GET', '/console/session', { key: 'wrong', from: '192.0.2.10' })).status).toBe(401);
  });

  it('ignores a session that was there before: each sign-in has a new one', async () => {
    const first = await signIn();
    const planted = await send('POST', '/console/session', { headers: { ...page, cookie: first.cookie } });
    const second = planted.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect(second).not.toBe(first.cookie);
    expect(second).toMatch(/=pbs_/);
    const invented = `${first.cookie.split('=')[0]}=pbs_${'A'.repeat(43)}`;
    expect((await send('GET', '/functions', withCookie(invented, { from: '192.0.2.11' }))).status).toBe(401);
  });
});

describe('a cookie', () => {
  it('is no token: as bearer, as x-api-key and in the query it is refused', async () => {
    const { cookie } = await signIn();
    const secret = cookie.split('=')[1] ?? '';
    const codes = await Promise.all([
      send('GET', '/functions', { key: secret, from: '192.0.2.20' }),
      send('GET', '/functions', { key: null, headers: { 'x-api-key': secret }, from: '192.0.2.20' }),
      send('GET', `/functions?access_token=${secret}`, { key: null, from: '192.0.2.20' }),
    ]);
    expect(codes.map(({ json }) => json.code)).toEqual(['invalid_token', 'invalid_token', 'invalid_request']);
  });

  it.each([
    ['a link, a form or an image, which have no header', {}],
    ['another site', { 'patchbay-console': '1', 'sec-fetch-site': 'cross-site' }],
    ['a sibling site', { 'patchbay-console': '1', 'sec-fetch-site': 'same-site' }],
    ['another origin of an older browser', { 'patchbay-console': '1', origin: 'https://evil.example' }],
    ['a sandboxed page', { 'patchbay-console': '1', origin: 'null' }],
    ['an origin that hosts trust otherwise', { 'patchbay-console': '1', origin: 'https://trusted.example' }],
  ])('does not count in requests of %s: not for reading, and not for changing', async (_name, headers) => {
    const { cookie } = await signIn();
    for (const [method, path, body] of [
      ['GET', '/functions', undefined],
      ['POST', '/keys', { name: 'stolen', scopes: ['*'] }],
      ['DELETE', '/console/session', undefined],
    ] as const) {
      const given = headers as Readonly<Record<string, string>>;
      const { status, json } = await send(method, path, { key: null, body, headers: { ...given, cookie } });
      expect([status, json.code]).toEqual(
        'patchbay-console' in given ? [403, 'cross_site_request'] : [401, 'unauthenticated'],
      );
    }
    expect((await send('GET', '/functions', withCookie(cookie))).status).toBe(200);
    expect((await send('GET', '/keys?limit=100')).text).not.toContain('stolen');
  });

  it('counts after other cookies, and a token goes before it', async () => {
    const reader = await identity.makeKey({ scopes: ['functions:read'] });
    const { cookie } = await signIn();
    const jar = `theme=dark; ${cookie}; other=a=b`;
    expect((await send('GET', '/keys', withCookie(jar))).status).toBe(200);
    const both = await send('GET', '/keys', { key: reader.key, headers: { ...page, cookie: jar } });
    expect([both.status, both.json.code]).toEqual([403, 'insufficient_scope']);
  });

  it('has the scopes of its key only: with functions:read, nothing can be changed', async () => {
    const reader = await identity.makeKey({ scopes: ['functions:read'] });
    const { cookie } = await signIn(reader.key);
    const changing = operations.filter(({ method, scope }) => method !== 'GET' && scope !== 'public');
    const tried = await Promise.all(
      changing.map(async ({ id, method, path, scope }) => {
        const place = path.replaceAll(/:\w+/g, 'x').replace(/\*\w+/, 'x');
        const { status } = await send(method, place, withCookie(cookie, { ...(method !== 'DELETE' && { body: {} }) }));
        return { id, scope, status };
      }),
    );
    const passed = tried.filter(({ status }) => status !== 403).map(({ id, scope }) => [id, scope]);
    // The requests of the caller itself.
    expect(passed).toEqual([['cancelRequests', 'authenticated']]);
  });

  it('ends with its key within a second, and with its own time', async () => {
    const made = await identity.makeKey();
    const { cookie } = await signIn(made.key);
    const other = await signIn();
    expect((await send('DELETE', `/keys/${made.id}`)).status).toBe(200);
    clock.advance(1_000);
    const refused = await send('GET', '/functions', withCookie(cookie, { from: '192.0.2.30' }));
    expect([refused.status, refused.json.code]).toEqual([401, 'key_revoked']);
    const anonymous = await send('GET', '/console/session', withCookie(cookie, { from: '192.0.2.30' }));
    expect([anonymous.status, anonymous.json]).toEqual([200, null]);
    clock.advance(43_200_000);
    const over = await send('GET', '/functions', withCookie(other.cookie, { from: '192.0.2.30' }));
    expect([over.status, over.json.code]).toEqual([401, 'invalid_token']);
  });

  it('obeys the addresses of its key', async () => {
    const made = await identity.makeKey({ ipAddresses: ['198.51.100.0/24'] });
    const { headers } = await send('POST', '/console/session', { key: made.key, headers: page, from: '198.51.100.1' });
    const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
    expect((await send('GET', '/functions', withCookie(cookie, { from: '198.51.100.2' }))).status).toBe(200);
    const stolen = await send('GET', '/functions', withCookie(cookie, { from: '192.0.2.40' }));
    expect([stolen.status, stolen.json.code]).toEqual([403, 'address_not_allowed']);
  });

  it('is removed by signing out, everywhere and at once; the key stays in force', async () => {
    const { cookie } = await signIn();
    const out = await send('DELETE', '/console/session', withCookie(cookie));
    expect(out.status).toBe(200);
    expect(out.headers.get('set-cookie')).toMatch(
      /^__Host-patchbay_[\da-f]{8}=; Path=\/; Max-Age=0; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect((await send('GET', '/functions', withCookie(cookie, { from: '192.0.2.50' }))).status).toBe(401);
    expect((await send('GET', '/functions')).status).toBe(200);
  });

  it('is in no log, no answer and no error', async () => {
    const { cookie, set } = await signIn();
    const secret = set.split(/[=;]/)[1] ?? '';
    const texts = await Promise.all([
      send('GET', '/nowhere', withCookie(cookie)),
      send('POST', '/keys', withCookie(cookie, { body: { name: 1 } })),
      send('GET', '/audit', withCookie(cookie)),
      send('GET', '/console/session', withCookie(cookie)),
    ]);
    for (const { text, headers } of texts) expect(text + JSON.stringify([...headers])).not.toContain(secret);
    expect(JSON.stringify(identity.log)).not.toContain(secret);
    expect(identity.app.host.redact(`cookie: ${secret}`)).toBe('cookie: [hidden]');
  });
});

it('A server without the console knows no sessions, also not those of another one', async () => {
  const plain = await startIdentity({ clock });
  try {
    expect((await plain.send('POST', '/console/session', { headers: page })).status).toBe(404);
    const { secret } = await plain.app.services.sessions.start(adminKey, {
      caller: await plain.app.services.authenticate({ token: adminKey }),
    });
    const cookie = `${plain.app.services.sessions.cookieName}=${secret}`;
    const refused = await plain.send('GET', '/functions', withCookie(cookie));
    expect([refused.status, refused.json.code]).toEqual([401, 'unauthenticated']);
  } finally {
    await plain.app.host.stop(0);
  }
});
