import type { KeyIssuer } from '@patchbay/contracts/authenticator';
import type { Principal } from '@patchbay/contracts/context';
import type { PatchbayError } from '@patchbay/contracts/errors';
import { type Scope, scopes } from '@patchbay/contracts/scopes';
import { tenantId } from '@patchbay/contracts/tenant';
import { describe, expect, it } from 'vitest';
import { createAuditLog } from '../audit/audit-log.ts';
import { createMemoryStorage } from '../built-in/memory-storage.ts';
import { checkAppConfig } from '../config/check-app-config.ts';
import { createStoppedClock, rootSecret } from '../functions/fixtures/function-parts.ts';
import { createCursorCodec } from '../paging/cursor.ts';
import { createKeyService } from './key-service.ts';

const names = [...(Object.keys(scopes) as Scope[]), '*'] as const;

function setUp(issuer: KeyIssuer | undefined, storage = createMemoryStorage()) {
  const clock = createStoppedClock();
  const cursors = createCursorCodec(rootSecret);
  const audit = createAuditLog({ storage, clock, rootSecret, cursors });
  return { storage, clock, keys: createKeyService({ storage, audit, clock, cursors, issuer, limits }) };
}

const { limits } = checkAppConfig({ patchbay: 1 }).config;

const issuer: KeyIssuer = {
  issue: (lookupId = crypto.randomUUID()) => ({ key: `key of ${lookupId}`, lookupId, secretHash: crypto.randomUUID() }),
};

const caller = (...granted: Principal['scopes']): { readonly caller: Principal } => ({
  caller: { id: 'user|1', kind: 'user', tenant: tenantId('acme'), scopes: granted, expiresAt: null },
});

/** Equal seeds give equal numbers, from 0 to below 1. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

describe('the key service', () => {
  const rounds = process.env['PATCHBAY_TEST_SIZE'] === 'full' ? 10_000 : 2_000;
  it(`a key never has more scopes than its creator: ${rounds} pairs of scopes`, async () => {
    const random = seeded(1);
    const some = (share: number) => names.filter(() => random() < share);
    let made = 0;
    let { keys } = setUp(issuer);
    for (let round = 0; round < rounds; round += 1) {
      // Memory looks through every row for a key that is taken: a full one would be all this waits for.
      if (round % 250 === 0) ({ keys } = setUp(issuer));
      const own = some(0.5);
      const asked = some(0.15);
      const hasByStar = (scope: string) =>
        own.includes('*') && !['keys:permanent', 'metrics:read', 'tenants:read'].includes(scope);
      const mayMake = asked.every((scope) => own.includes(scope) || hasByStar(scope));
      const outcome = await keys.create({ name: 'k', scopes: asked }, caller(...own)).then(
        ({ row }) => row.scopes,
        (error: { code: string }) => error.code,
      );
      expect(outcome).toEqual(mayMake ? asked : 'insufficient_scope');
      made += mayMake ? 1 : 0;
    }
    expect(made).toBeGreaterThan(rounds * 0.1);
    expect(made).toBeLessThan(rounds * 0.9);
  });

  it('lists every violation of a new key at once, and refuses it for its scopes first', async () => {
    const { keys, clock } = setUp(issuer);
    const by: { readonly caller: Principal } = {
      caller: { ...caller('keys:write').caller, expiresAt: clock.now() + 3_600_000 },
    };
    const fast = { requests: 1_000_000, seconds: 1, burst: 1_000_000 };
    const beyond = {
      name: 'k',
      expiresAt: new Date(clock.now() + 7_200_000).toISOString(),
      functions: ['fn_none'],
      ipAddresses: ['nowhere'],
      rateLimit: fast,
    };
    const limitPointers = ['/ipAddresses/0', '/functions/0', '/expiresAt', '/rateLimit'];
    const refusalOf = async (scopes: Principal['scopes']) => {
      const refusal = await keys.create({ ...beyond, scopes }, by).then(
        () => undefined,
        (error: PatchbayError) => error,
      );
      return [refusal?.status, refusal?.code, refusal?.errors.map(({ pointer }) => pointer)];
    };
    expect(await refusalOf(['keys:write', '*'])).toEqual([403, 'insufficient_scope', ['/scopes/1', ...limitPointers]]);
    expect(await refusalOf(['keys:write'])).toEqual([400, 'invalid_request', limitPointers]);
  });

  it('does not tell a caller that is limited to some functions whether others exist', async () => {
    const { keys } = setUp(issuer);
    const { caller: everywhere } = caller('*');
    const refusal = keys.create(
      { name: 'k', scopes: [], functions: ['fn_own', 'fn_own', 'fn_other'] },
      { caller: { ...everywhere, functions: ['fn_own'] } },
    );
    await expect(refusal).rejects.toMatchObject({
      errors: [
        { pointer: '/functions/0', code: 'unknown' },
        { pointer: '/functions/1', code: 'unknown' },
        { pointer: '/functions/2', code: 'too_much' },
      ],
    });
  });

  it('concurrent changes of a key all take effect', async () => {
    const { keys, storage } = setUp(issuer);
    const { row } = await keys.create({ name: 'k', scopes: ['*'] }, caller('*'));
    const { tenant } = caller().caller;
    const used = async () =>
      await storage.commit(tenant, [{ update: 'apiKeys', id: row.id, set: { lastUsedAt: row.createdAt } }]);
    const rotated = Array.from({ length: 10 }, async () => await keys.rotate(row.id, 60, caller('*')));
    await Promise.all([...rotated, used(), used()]);
    const hashes = new Set((await Promise.all(rotated)).map(({ row: { secretHash } }) => secretHash));
    const stored = await keys.get(row.id, caller());
    expect(hashes.size).toBe(10);
    expect([hashes.has(stored.secretHash), hashes.has(stored.previousHash ?? '')]).toEqual([true, true]);
    expect(stored.revision).toBe(13);
  });

  it('the previous secret is valid for exactly the grace time', async () => {
    const { keys, clock } = setUp(issuer);
    const { row } = await keys.create({ name: 'k', scopes: ['*'] }, caller('*'));
    const { previousUntil, previousHash } = (await keys.rotate(row.id, 60, caller('*'))).row;
    expect([previousUntil, previousHash]).toEqual([new Date(clock.now() + 60_000).toISOString(), row.secretHash]);
    const ended = (await keys.rotate(row.id, 0, caller('*'))).row;
    expect([ended.previousUntil, ended.previousHash]).toEqual([null, null]);
  });

  it('without an issuer no keys are created, but existing ones are shown and revoked', async () => {
    const { keys, storage } = setUp(undefined);
    await expect(keys.create({ name: 'k', scopes: ['*'] }, caller('*'))).rejects.toMatchObject({
      code: 'route_not_found',
    });
    const { row } = await setUp(issuer, storage).keys.create({ name: 'k', scopes: ['*'] }, caller('*'));
    expect((await keys.revoke(row.id, caller('*'))).revokedAt).toBeTypeOf('string');
    await expect(keys.rotate(row.id, 0, caller('*'))).rejects.toMatchObject({ code: 'route_not_found' });
  });
});
