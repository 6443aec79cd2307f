import { type Notice, PatchbayError, tenantId } from '@patchbay/core/plugin';
import type { ApiKeyRow } from '@patchbay/core/storage';
import { createMemoryStorage } from '@patchbay/core/storage';
import { describe, expect, it } from 'vitest';
import { generateApiKey, hashApiKeySecret } from './api-key.ts';
import { createApiKeyAuthenticator } from './api-key-authenticator.ts';

const pepper = Buffer.alloc(32, 1);
const start = Date.UTC(2026, 0, 1);

interface Options {
  readonly bootstrapKey?: string;
  readonly storage?: ReturnType<typeof createMemoryStorage>;
  readonly announce?: (notice: Notice) => void;
  readonly pepper?: Uint8Array;
  /** Of the root secret before. */
  readonly oldPepper?: Uint8Array;
}

function setUp(options: Options = {}) {
  const storage = options.storage ?? createMemoryStorage();
  const notices: Notice[] = [];
  const warnings: unknown[] = [];
  const logger = { debug() {}, info() {}, warn: (...line: unknown[]) => warnings.push(line), error() {} };
  let now = 0;
  const authenticator = createApiKeyAuthenticator({
    announce: options.announce ?? ((notice) => notices.push(notice)),
    clock: { now: () => start + now, monotonic: () => now },
    rootSecret: {
      derive: () => options.pepper ?? pepper,
      previous: options.oldPepper ? [{ derive: () => options.oldPepper ?? pepper }] : [],
    },
    storage,
    logger,
    bootstrapKey: options.bootstrapKey,
    tenant: 'default',
    environment: 'live',
  });
  const advance = (ms: number): void => {
    now += ms;
  };
  return { authenticator, storage, notices, warnings, advance };
}

async function addKey(storage: ReturnType<typeof createMemoryStorage>, changes: Partial<ApiKeyRow> = {}) {
  const { key, lookupId, secret } = generateApiKey('live');
  const row: ApiKeyRow = {
    id: `key_${lookupId}`,
    revision: 1,
    lookupId,
    name: 'Test',
    secretHash: hashApiKeySecret(pepper, secret),
    scopes: ['functions:read'],
    createdAt: new Date(start).toISOString(),
    createdBy: 'test',
    expiresAt: null,
    revokedAt: null,
    ipAddresses: null,
    functions: null,
    rateLimit: null,
    budget: null,
    lastUsedAt: null,
    rotatedAt: null,
    previousHash: null,
    previousUntil: null,
    ...changes,
  };
  await storage.commit(tenantId('acme'), [{ insert: 'apiKeys', row }]);
  return { key, row };
}

describe('the first start', () => {
  it('makes one admin key, announces it once and stores no secret', async () => {
    const { authenticator, storage, notices } = setUp();
    await authenticator.start?.(new AbortController().signal);
    await setUp({ storage }).authenticator.start?.(new AbortController().signal);
    expect(notices).toHaveLength(1);
    const key = notices[0]?.value ?? '';
    expect(await authenticator.authenticate({ token: key })).toEqual({
      id: 'key_00000000000000000000000001',
      kind: 'api-key',
      tenant: 'default',
      scopes: ['*', 'keys:permanent', 'metrics:read', 'tenants:read'],
      expiresAt: null,
    });
    const stored = JSON.stringify(await storage.scanAllTenants('apiKeys', {}, 10));
    expect(stored).not.toContain(key.slice(-38, -6));
  });

  it('makes one key when two hosts start at once', async () => {
    const storage = createMemoryStorage();
    const hosts = [setUp({ storage }), setUp({ storage })];
    const { signal } = new AbortController();
    await Promise.all(hosts.map(async ({ authenticator }) => await authenticator.start?.(signal)));
    expect(hosts.flatMap(({ notices }) => notices)).toHaveLength(1);
  });

  it('deletes a key that could not be shown, so that the next start creates another', async () => {
    const storage = createMemoryStorage();
    const announce = () => {
      throw new Error('nowhere to show it');
    };
    const { signal } = new AbortController();
    await expect(setUp({ storage, announce }).authenticator.start?.(signal)).rejects.toThrow('nowhere to show it');
    expect(await storage.scanAllTenants('apiKeys', {}, 1)).toEqual([]);
    const next = setUp({ storage });
    await next.authenticator.start?.(signal);
    expect(next.notices).toHaveLength(1);
  });

  it('makes no key when there is a bootstrap key', async () => {
    const bootstrapKey = 'a-secret-of-at-least-32-characters';
    const { authenticator, storage, notices } = setUp({ bootstrapKey });
    await authenticator.start?.(new AbortController().signal);
    expect(notices).toEqual([]);
    expect(await storage.scanAllTenants('apiKeys', {}, 10)).toEqual([]);
    expect(await authenticator.authenticate({ token: bootstrapKey })).toMatchObject({
      id: 'key_bootstrap',
      scopes: ['*', 'keys:permanent', 'metrics:read', 'tenants:read'],
      expiresAt: null,
    });
    expect(await authenticator.authenticate({ token: `${bootstrapKey}x` })).toBeUndefined();
  });

  it.each(['short', 'long enough, but with spaces in it', 'ä'.repeat(32)])(
    'refuses %j and does not repeat it',
    (key) => {
      const refusal = 'the bootstrap key needs at least 32 characters of ASCII, without spaces';
      expect(() => setUp({ bootstrapKey: key })).toThrow(refusal);
    },
  );
});

describe('authenticate', () => {
  it('finds the tenant and the scopes of a key', async () => {
    const { authenticator, storage } = setUp();
    const { key, row } = await addKey(storage);
    const principal = { id: row.id, kind: 'api-key', tenant: 'acme', scopes: ['functions:read'], expiresAt: null };
    expect(await authenticator.authenticate({ token: key })).toEqual(principal);
    expect(await authenticator.authenticate({ token: key })).toEqual(principal);
  });

  it('leaves tokens of other kinds to others', async () => {
    const { authenticator } = setUp();
    expect(await authenticator.authenticate({ token: 'eyJhbGciOi.J9.x' })).toBeUndefined();
  });

  it('refuses garbled, unknown and wrong keys alike', async () => {
    const { authenticator, storage } = setUp();
    const { key, row } = await addKey(storage);
    const forged = { ...generateApiKey('live') };
    const { key: wrongSecret } = await addKey(storage, { secretHash: row.secretHash });
    for (const token of ['pbk_', `${key}x`, forged.key, wrongSecret]) {
      const refusal = { code: 'invalid_token', message: 'the credentials are not valid' };
      await expect(authenticator.authenticate({ token }), token).rejects.toMatchObject(refusal);
    }
  });

  it('warns the operator once when the root secret may have changed', async () => {
    const { key, row } = await addKey(setUp().storage);
    const { authenticator, storage, warnings } = setUp({ pepper: Buffer.alloc(32, 2) });
    await storage.commit(tenantId('acme'), [{ insert: 'apiKeys', row }]);
    for (const token of [generateApiKey('live').key, key, key]) {
      await expect(authenticator.authenticate({ token })).rejects.toMatchObject({ code: 'invalid_token' });
    }
    expect(warnings).toEqual([[expect.stringContaining('the root secret was changed'), { keyId: row.id }]]);
  });

  it('accepts keys of the root secret before, and brings them to the new one', async () => {
    const { key, row } = await addKey(setUp().storage);
    const newPepper = Buffer.alloc(32, 2);
    const { authenticator, storage } = setUp({ pepper: newPepper, oldPepper: pepper });
    await storage.commit(tenantId('acme'), [{ insert: 'apiKeys', row }]);
    await expect(authenticator.authenticate({ token: generateApiKey('live').key })).rejects.toBeDefined();
    expect(await authenticator.authenticate({ token: key })).toMatchObject({ id: row.id });
    const stored = await storage.get(tenantId('acme'), 'apiKeys', row.id);
    expect(stored?.secretHash).not.toBe(row.secretHash);
    const after = setUp({ pepper: newPepper, storage });
    expect(await after.authenticator.authenticate({ token: key })).toMatchObject({ id: row.id });
  });

  it('refuses revoked and expired keys, and says which', async () => {
    const { authenticator, storage, advance } = setUp();
    const revoked = await addKey(storage, { revokedAt: new Date(start).toISOString() });
    await expect(authenticator.authenticate({ token: revoked.key })).rejects.toMatchObject({ code: 'key_revoked' });
    const expiring = await addKey(storage, { expiresAt: new Date(start + 5_000).toISOString() });
    await expect(authenticator.authenticate({ token: expiring.key })).resolves.toBeDefined();
    advance(5_000);
    await expect(authenticator.authenticate({ token: expiring.key })).rejects.toMatchObject({ code: 'token_expired' });
  });

  it('notices within a second that a key was revoked', async () => {
    const { authenticator, storage, advance } = setUp();
    const { key, row } = await addKey(storage);
    await authenticator.authenticate({ token: key });
    const set = { revokedAt: new Date(start).toISOString() };
    await storage.commit(tenantId('acme'), [{ update: 'apiKeys', id: row.id, set }]);
    advance(1_000);
    await expect(authenticator.authenticate({ token: key })).rejects.toMatchObject({ code: 'key_revoked' });
  });

  it('keeps the principal of a key that has not changed', async () => {
    const { authenticator, storage, advance } = setUp();
    const { key } = await addKey(storage, { lastUsedAt: new Date(start).toISOString() });
    const before = await authenticator.authenticate({ token: key });
    advance(1_001);
    expect(await authenticator.authenticate({ token: key })).toBe(before);
  });

  it('notices within a second that a key was revoked by hand, without a new revision', async () => {
    const storage = createMemoryStorage();
    let revokedAt: string | null = null;
    const scanAllTenants: typeof storage.scanAllTenants = async (...given) => {
      const found = await storage.scanAllTenants(...given);
      return found.map(({ tenant, row }) => ({ tenant, row: { ...row, revokedAt } }));
    };
    const { authenticator, advance } = setUp({ storage: { ...storage, scanAllTenants } });
    const { key } = await addKey(storage);
    await authenticator.authenticate({ token: key });
    revokedAt = new Date(start).toISOString();
    advance(1_001);
    await expect(authenticator.authenticate({ token: key })).rejects.toMatchObject({ code: 'key_revoked' });
  });

  it('retries after a storage failure', async () => {
    const { authenticator, storage } = setUp();
    const { key } = await addKey(storage);
    const failing = { ...storage, scanAllTenants: () => Promise.reject(new Error('down')) };
    let down = true;
    const flaky = setUp({
      storage: {
        ...storage,
        scanAllTenants: (...args: Parameters<typeof storage.scanAllTenants>) =>
          down ? failing.scanAllTenants() : storage.scanAllTenants(...args),
      } as typeof storage,
    });
    await expect(flaky.authenticator.authenticate({ token: key })).rejects.toThrow('down');
    down = false;
    await expect(flaky.authenticator.authenticate({ token: key })).resolves.toBeDefined();
    await expect(authenticator.authenticate({ token: key })).resolves.toBeDefined();
  });

  it('accepts only cached keys while the storage is unavailable', async () => {
    const memory = createMemoryStorage();
    let away = false;
    const storage: typeof memory = {
      ...memory,
      scanAllTenants: async (...query) => {
        if (away) throw new PatchbayError('storage_unavailable', 'away', { retryAfter: 1 });
        return await memory.scanAllTenants(...query);
      },
    };
    const { authenticator, advance } = setUp({ storage });
    const { key, row } = await addKey(storage);
    const { key: unseen } = await addKey(storage);
    await authenticator.authenticate({ token: key });
    away = true;
    for (const pass of [2_000, 60_000, 200_000]) {
      advance(pass);
      expect(await authenticator.authenticate({ token: key })).toMatchObject({ id: row.id });
    }
    await expect(authenticator.authenticate({ token: unseen })).rejects.toMatchObject({ code: 'storage_unavailable' });
    advance(60_000);
    await expect(authenticator.authenticate({ token: key })).rejects.toMatchObject({ code: 'storage_unavailable' });
    away = false;
    await storage.commit(tenantId('acme'), [
      { update: 'apiKeys', id: row.id, set: { revokedAt: new Date(start).toISOString() } },
    ]);
    await expect(authenticator.authenticate({ token: key })).rejects.toMatchObject({ code: 'key_revoked' });
  });

  it('waits a second for a storage that does not answer, where it knows the key', async () => {
    const memory = createMemoryStorage();
    let hangs = false;
    const storage: typeof memory = {
      ...memory,
      scanAllTenants: (...query) => (hangs ? new Promise(() => {}) : memory.scanAllTenants(...query)),
    };
    const { authenticator, advance } = setUp({ storage });
    const { key, row } = await addKey(storage);
    await authenticator.authenticate({ token: key });
    hangs = true;
    advance(2_000);
    expect(await authenticator.authenticate({ token: key })).toMatchObject({ id: row.id });
  });

  it('uses the result of its latest query, not the latest result', async () => {
    const sound = createMemoryStorage();
    const { key, row } = await addKey(sound);
    const reads: PromiseWithResolvers<unknown>[] = [];
    const scanAllTenants = (): Promise<never> => {
      const read = Promise.withResolvers<unknown>();
      reads.push(read);
      return read.promise as Promise<never>;
    };
    const { authenticator, advance } = setUp({ storage: { ...sound, scanAllTenants } });
    const ask = () => authenticator.authenticate({ token: key });
    const [early] = [ask(), advance(1_100)];
    const late = ask();
    const revoked = { ...row, revokedAt: new Date(start).toISOString() };
    reads[1]?.resolve([{ tenant: 'acme', row: revoked }]);
    await expect(late).rejects.toMatchObject({ code: 'key_revoked' });
    reads[0]?.resolve([{ tenant: 'acme', row }]);
    expect(await early).toMatchObject({ id: row.id });
    await expect(ask()).rejects.toMatchObject({ code: 'key_revoked' });
    advance(1_100);
    const away = ask();
    reads[2]?.reject(new PatchbayError('storage_unavailable', 'away'));
    await expect(away).rejects.toMatchObject({ code: 'key_revoked' });
  });

  it('accepts the secret before a rotation for its time, and no other', async () => {
    const { authenticator, storage, advance } = setUp();
    const { key, row } = await addKey(storage);
    const issued = authenticator.keys?.issue(row.lookupId);
    expect(issued?.lookupId).toBe(row.lookupId);
    const previousUntil = new Date(start + 60_000).toISOString();
    const set = { secretHash: issued?.secretHash ?? '', previousHash: row.secretHash, previousUntil };
    await storage.commit(tenantId('acme'), [{ update: 'apiKeys', id: row.id, set }]);
    const outcome = async (token: string) =>
      await authenticator.authenticate({ token }).then(
        (principal) => principal?.id,
        (error: { code: string }) => error.code,
      );
    expect([await outcome(key), await outcome(issued?.key ?? '')]).toEqual([row.id, row.id]);
    advance(60_000);
    expect([await outcome(key), await outcome(issued?.key ?? '')]).toEqual(['token_expired', row.id]);
  });

  it('accepts the secret before a rotation for its time, also where the root secret was another one then', async () => {
    const storage = createMemoryStorage();
    const { key, row } = await addKey(storage);
    const { authenticator, advance } = setUp({ storage, pepper: new Uint8Array(32).fill(9), oldPepper: pepper });
    const issued = authenticator.keys?.issue(row.lookupId);
    const previousUntil = new Date(start + 60_000).toISOString();
    const set = { secretHash: issued?.secretHash ?? '', previousHash: row.secretHash, previousUntil };
    await storage.commit(tenantId('acme'), [{ update: 'apiKeys', id: row.id, set }]);
    expect(await authenticator.authenticate({ token: issued?.key ?? '' })).toMatchObject({ id: row.id });
    expect(await authenticator.authenticate({ token: key })).toMatchObject({ id: row.id });
    expect((await storage.get(tenantId('acme'), 'apiKeys', row.id))?.secretHash).toBe(issued?.secretHash);
    advance(60_000);
    await expect(authenticator.authenticate({ token: key })).rejects.toMatchObject({ code: 'token_expired' });
  });

  it('returns the limits of a key', async () => {
    const { authenticator, storage } = setUp();
    const rateLimit = { requests: 1, seconds: 1, burst: 1 };
    const budget = { usd: 1, period: 'day' } as const;
    const both = await addKey(storage, { rateLimit, budget });
    expect((await authenticator.authenticate({ token: both.key }))?.limits).toEqual({ rateLimit, budget });
    const one = await addKey(storage, { budget });
    expect((await authenticator.authenticate({ token: one.key }))?.limits).toEqual({ budget });
  });

  it('refuses other addresses, and requests of which none is known', async () => {
    const { authenticator, storage } = setUp();
    const { key } = await addKey(storage, { ipAddresses: ['192.0.2.0/24'] });
    await expect(authenticator.authenticate({ token: key, remoteAddress: '192.0.2.9' })).resolves.toBeDefined();
    for (const remoteAddress of ['198.51.100.1', '']) {
      const refused = authenticator.authenticate({ token: key, remoteAddress });
      await expect(refused).rejects.toMatchObject({ code: 'address_not_allowed' });
    }
    await expect(authenticator.authenticate({ token: key })).rejects.toMatchObject({ code: 'address_not_allowed' });
  });
});

describe('the time of the last use', () => {
  it('the time of the last use is written once a minute at most, and at the end', async () => {
    const { authenticator, storage, advance } = setUp();
    const { key, row } = await addKey(storage);
    const stored = async () => await storage.get(tenantId('acme'), 'apiKeys', row.id);
    await authenticator.authenticate({ token: key });
    expect((await stored())?.lastUsedAt).toBeNull();
    await authenticator.stop?.();
    expect(await stored()).toMatchObject({ lastUsedAt: new Date(start).toISOString(), revision: 2 });
    advance(59_999);
    await authenticator.authenticate({ token: key });
    await authenticator.stop?.();
    expect((await stored())?.revision).toBe(2);
    advance(1);
    await authenticator.authenticate({ token: key });
    await authenticator.stop?.();
    expect(await stored()).toMatchObject({ lastUsedAt: new Date(start + 60_000).toISOString(), revision: 3 });
    const other = setUp({ storage });
    other.advance(90_000);
    await other.authenticator.authenticate({ token: key });
    await other.authenticator.stop?.();
    expect((await stored())?.revision).toBe(3);
  });

  it('the time of the last use is written at once for a key that was never used', async () => {
    const { authenticator, storage } = setUp();
    const { key, row } = await addKey(storage);
    await authenticator.authenticate({ token: key });
    await new Promise(setImmediate);
    const stored = await storage.get(tenantId('acme'), 'apiKeys', row.id);
    expect(stored?.lastUsedAt).toBe(new Date(start).toISOString());
  });

  it('the time of the last use does not change with a refused key', async () => {
    const { authenticator, storage } = setUp();
    const { key, row } = await addKey(storage, { revokedAt: new Date(start).toISOString() });
    await expect(authenticator.authenticate({ token: key })).rejects.toMatchObject({ code: 'key_revoked' });
    await authenticator.stop?.();
    expect(await storage.get(tenantId('acme'), 'apiKeys', row.id)).toEqual(row);
  });
});
