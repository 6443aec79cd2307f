import type { Credentials, KeyIssuer, RequestHead } from '@patchbay/contracts/authenticator';
import type { Principal } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { Storage } from '@patchbay/contracts/storage';
import { tenantId } from '@patchbay/contracts/tenant';
import { describe, expect, it } from 'vitest';
import { createAuditLog } from '../audit/audit-log.ts';
import { createMemoryStorage } from '../built-in/memory-storage.ts';
import { checkAppConfig } from '../config/check-app-config.ts';
import { createStoppedClock, rootSecret } from '../functions/fixtures/function-parts.ts';
import { createCursorCodec } from '../paging/cursor.ts';
import { withSessions } from './callers.ts';
import { createKeyService } from './key-service.ts';
import { createSessionService, sweepSessions } from './session-service.ts';

const issuer: KeyIssuer = {
  issue: (lookupId = crypto.randomUUID()) => ({ key: `key ${lookupId}`, lookupId, secretHash: crypto.randomUUID() }),
};

const ada: Principal = { id: 'key_ada', kind: 'api-key', tenant: tenantId('acme'), scopes: ['functions:read'] };

const { limits } = checkAppConfig({ patchbay: 1 }).config;

function setUp(storage: Storage = createMemoryStorage(), clock = createStoppedClock()) {
  const cursors = createCursorCodec(rootSecret);
  const audit = createAuditLog({ storage, clock, rootSecret, cursors });
  const keys = createKeyService({ storage, audit, clock, cursors, issuer, limits });
  const revoked = new Set<string>();
  const asked: Credentials[] = [];
  const authenticate = async (credentials: Credentials): Promise<Principal> => {
    asked.push(credentials);
    const { token } = credentials;
    if (revoked.has(token)) throw new PatchbayError('key_revoked', 'the API key was revoked');
    if (token.startsWith('key ')) return { ...ada, id: 'key_of_link', tenant: tenantId('default'), scopes: ['*'] };
    // A name, then a part that must never be visible.
    return { ...ada, id: token.split(' ')[0] ?? '' };
  };
  const linkTenant = tenantId('default');
  const parts = { storage, audit, clock, rootSecret, keys, linkTenant, authenticate };
  return { ...parts, revoked, asked, sessions: createSessionService(parts) };
}

/** The head of a request. */
const head = (members: Partial<RequestHead>, headers: Readonly<Record<string, string>> = {}): RequestHead => ({
  method: 'GET',
  target: '/functions',
  remoteAddress: '127.0.0.1',
  header: (name) => headers[name],
  ...members,
});

describe('a session', () => {
  it('stands for the credential that it was started with, from the address of each request', async () => {
    const { sessions, asked } = setUp();
    const { secret, caller, maxAgeSeconds } = await sessions.start('key_ada', { caller: ada });
    expect([caller.id, maxAgeSeconds]).toEqual(['key_ada', 43_200]);
    const resumed = await sessions.resume(secret, '192.0.2.7');
    expect(resumed).toEqual({ ...ada, id: 'key_ada' });
    expect(asked.at(-1)).toEqual({ token: 'key_ada', remoteAddress: '192.0.2.7' });
  });

  it('ends when its credential is revoked, when it expires, and when it is ended', async () => {
    const { sessions, revoked, clock, storage } = setUp();
    const start = async (token: string) => (await sessions.start(token, { caller: ada })).secret;
    const codeOf = async (session: string) =>
      await sessions.resume(session, '127.0.0.1').then(
        ({ id }) => id,
        ({ code }: PatchbayError) => code,
      );
    const [first, second, third] = [await start('one'), await start('two'), await start('three')];
    revoked.add('one');
    await sessions.end(second, { caller: { ...ada, id: 'two' } });
    expect([await codeOf(first), await codeOf(second), await codeOf(third)]).toEqual([
      'key_revoked',
      'invalid_token',
      'three',
    ]);
    clock.advance(43_199_999);
    expect([await codeOf(third), await sweepSessions(storage, clock)]).toEqual(['three', 0]);
    clock.advance(1);
    expect([await codeOf(third), await sweepSessions(storage, clock)]).toEqual(['invalid_token', 2]);
    expect(await codeOf('pbs_unknown')).toBe('invalid_token');
  });

  it("ends together with all others of its caller, and with no one else's", async () => {
    const { sessions, storage } = setUp();
    for (const token of ['one', 'two', 'one']) await sessions.start(token, { caller: ada });
    await sessions.endAll({ caller: { ...ada, id: 'one', tenant: tenantId('other') } });
    await sessions.endAll({ caller: { ...ada, id: 'one' } });
    const left = await storage.scanAllTenants('sessions', {}, 10);
    expect(left.map(({ row }) => row.callerId)).toEqual(['two']);
  });

  it('of another tenant cannot be ended', async () => {
    const { sessions } = setUp();
    const { secret } = await sessions.start('key_ada', { caller: ada });
    await sessions.end(secret, { caller: { ...ada, tenant: tenantId('other') } });
    await expect(sessions.resume(secret, '127.0.0.1')).resolves.toMatchObject({ id: 'key_ada' });
  });

  it('is one of ten at most: an eleventh ends the oldest of its caller, and no others', async () => {
    const { sessions, storage, clock } = setUp();
    const other = await sessions.start('other', { caller: ada });
    const secrets: string[] = [];
    for (let count = 0; count < 12; count += 1) {
      secrets.push((await sessions.start('key_ada', { caller: ada })).secret);
      clock.advance(1);
    }
    const alive = await Promise.all(
      secrets.map(async (session) => await sessions.resume(session, '127.0.0.1').then(Boolean, () => false)),
    );
    expect(alive).toEqual([false, false, ...Array<boolean>(10).fill(true)]);
    await expect(sessions.resume(other.secret, '127.0.0.1')).resolves.toMatchObject({ id: 'other' });
    expect(await storage.scanAllTenants('sessions', {}, 100)).toHaveLength(11);
  });

  it('works on every server on the storage, and its row reveals neither secret nor credential', async () => {
    const { sessions, storage, clock } = setUp();
    const { secret } = await sessions.start('grace and-her-secret', { caller: ada });
    const { sessions: others } = setUp(storage, clock);
    await expect(others.resume(secret, '127.0.0.1')).resolves.toMatchObject({ id: 'grace' });
    const [found] = await storage.scanAllTenants('sessions', {}, 10);
    const text = JSON.stringify(found);
    expect(text).not.toContain(secret.slice(4));
    expect(text).not.toContain('and-her-secret');
    // A credential copied from another row is of no use.
    const { secret: own } = await sessions.start('own', { caller: ada });
    const rows = await storage.scanAllTenants('sessions', {}, 10);
    const mine = rows.find(({ row }) => row.callerId === 'own')?.row;
    const set = { credential: found?.row.credential ?? '' };
    await storage.commit(ada.tenant, [{ update: 'sessions', id: mine?.id ?? '', set }]);
    await expect(sessions.resume(own, '127.0.0.1')).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it('has its start and end in the audit log, without its secret', async () => {
    const { sessions, storage } = setUp();
    const { secret } = await sessions.start('key_ada', { caller: ada });
    await sessions.end(secret, { caller: { ...ada, id: 'key_ada' } });
    const entries = await storage.scanAllTenants('auditEntries', {}, 10, 'sequence');
    expect(entries.map(({ row: { action, actorId } }) => [action, actorId])).toEqual([
      ['session.started', 'key_ada'],
      ['session.ended', 'key_ada'],
    ]);
    expect(JSON.stringify(entries)).not.toContain(secret);
  });

  it('shows who is signed in, every scope that * covers, and until when', async () => {
    const { sessions, clock } = setUp();
    const { secret, caller } = await sessions.start('key_ada', { caller: ada });
    const end = new Date(clock.now() + 43_200_000).toISOString();
    expect(await sessions.describe(caller, secret)).toMatchObject({
      name: 'key_ada',
      scopes: ['functions:read'],
      endsAt: end,
    });
    const star = { ...caller, scopes: ['*'], expiresAt: clock.now() + 5_000 } as const;
    const described = await sessions.describe(star, secret);
    expect(described.scopes).toContain('keys:write');
    expect(described.scopes).not.toContain('metrics:read');
    expect(described.endsAt).toBe(new Date(clock.now() + 5_000).toISOString());
  });
});

describe('a sign-in link', () => {
  it('lets its caller do nothing but sign in, once, with a key of twelve hours', async () => {
    const { sessions, storage, clock } = setUp();
    const link = sessions.createLink() ?? '';
    const arrived = await sessions.arrive(link, head({}));
    expect(arrived).toMatchObject({ kind: 'service', scopes: [] });
    if (!arrived) throw new Error('the link is unknown');
    const { caller } = await sessions.start(link, { caller: arrived });
    expect(caller.id).toBe('key_of_link');
    const [key] = await storage.scanAllTenants('apiKeys', {}, 10);
    expect(key?.row).toMatchObject({
      name: 'Console sign-in',
      expiresAt: new Date(clock.now() + 43_200_000).toISOString(),
    });
    await expect(sessions.arrive(link, head({}))).rejects.toMatchObject({ code: 'invalid_token' });
    await expect(sessions.start(link, { caller: arrived })).rejects.toMatchObject({ code: 'invalid_token' });
    expect(await storage.scanAllTenants('apiKeys', {}, 10)).toHaveLength(1);
  });

  it('creates one key, however many clients use it at once', async () => {
    const { sessions, storage } = setUp();
    const link = sessions.createLink() ?? '';
    const starts = Array.from({ length: 5 }, async () => await sessions.start(link, { caller: ada }));
    const outcomes = await Promise.allSettled(starts);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await storage.scanAllTenants('apiKeys', {}, 10)).toHaveLength(1);
  });

  it('works in any process of a server, but in only one', async () => {
    const { sessions, storage, clock } = setUp();
    const other = setUp(storage, clock).sessions;
    const link = sessions.createLink() ?? '';
    await expect(other.arrive(link, head({}))).resolves.toMatchObject({ scopes: [] });
    await other.start(link, { caller: ada });
    await expect(sessions.arrive(link, head({}))).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it('is refused if it was changed', async () => {
    const { sessions, clock } = setUp();
    const link = sessions.createLink() ?? '';
    const later = link.replace(/\d+/, String(clock.now() + 3_600_000));
    for (const token of [later, `${link}x`, 'pbl_', 'pbl_1.2'])
      await expect(sessions.arrive(token, head({}))).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it('expires after a minute', async () => {
    const { sessions, clock } = setUp();
    const link = sessions.createLink() ?? '';
    clock.advance(60_000);
    await expect(sessions.arrive(link, head({}))).rejects.toMatchObject({ code: 'invalid_token' });
  });

  it.each([
    ['another machine', { remoteAddress: '192.0.2.1' }, {}],
    ['an unknown address', { remoteAddress: undefined }, {}],
    ['a proxy on this machine', {}, { 'x-forwarded-for': '192.0.2.1' }],
    ['a proxy that says so in Via', {}, { via: '1.1 proxy' }],
  ])('is refused from %s, and stays valid for its owner', async (_name, members, headers) => {
    const { sessions } = setUp();
    const token = sessions.createLink() ?? '';
    const code = 'address_not_allowed';
    await expect(sessions.arrive(token, head(members, headers))).rejects.toMatchObject({ code });
    await expect(sessions.arrive(token, head({ remoteAddress: '::1' }))).resolves.toMatchObject({ scopes: [] });
  });

  it('is recognized only in a whole request, whose origin is known', async () => {
    const { sessions, authenticate } = setUp();
    const both = withSessions(async ({ token = '' }) => await authenticate({ token }), sessions);
    const token = sessions.createLink() ?? '';
    await expect(both(head({ token }))).resolves.toMatchObject({ id: 'sign-in-link' });
    await expect(both({ token, remoteAddress: '127.0.0.1' })).resolves.not.toMatchObject({ id: 'sign-in-link' });
  });

  it('leaves requests with neither a session nor a link to the authenticators', async () => {
    const { sessions, authenticate } = setUp();
    const both = withSessions(async ({ token = 'none' }) => await authenticate({ token }), sessions);
    await expect(both(head({ token: 'key_ada' }))).resolves.toMatchObject({ id: 'key_ada' });
    await expect(both(head({}))).resolves.toMatchObject({ id: 'none' });
    const { secret } = await sessions.start('key_bea', { caller: ada });
    await expect(both(head({ session: secret }))).resolves.toMatchObject({ id: 'key_bea' });
    // A token takes precedence.
    await expect(both(head({ token: 'key_ada', session: secret }))).resolves.toMatchObject({ id: 'key_ada' });
  });
});
