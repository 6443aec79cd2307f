import { newId } from '@patchbay/contracts/base/type-id';
import type { CommitResult, Storage, Write } from '@patchbay/contracts/storage';
import { tenantId } from '@patchbay/contracts/tenant';
import { describe, expect, it } from 'vitest';
import { createMemoryStorage } from '../built-in/memory-storage.ts';
import { contextOf, createStoppedClock, rootSecret } from '../functions/fixtures/function-parts.ts';
import { createCursorCodec } from '../paging/cursor.ts';
import { auditKey } from './audit-chain.ts';
import type { AuditEvent } from './audit-event.ts';
import { type AuditLog, createAuditLog } from './audit-log.ts';
import { verifyAuditLog } from './verify-audit-log.ts';

const tenant = tenantId('a');
const context = contextOf('a');
const cursors = createCursorCodec(rootSecret);
const keys = [auditKey(rootSecret)];
const newestFirst = { limit: 100, offset: 0, sort: 'sequence', order: 'desc' } as const;

const open = (storage: Storage): AuditLog =>
  createAuditLog({ storage, clock: createStoppedClock(), rootSecret, cursors });

const event = (id: string): AuditEvent => ({ action: 'function.created', resource: { type: 'function', id } });

const insertion = (id = newId('function')): Write => ({
  insert: 'functions',
  row: {
    id,
    revision: 1,
    name: 'f',
    key: null,
    description: '',
    input: { type: 'object' },
    output: { type: 'object' },
    code: '',
    artifact: '',
    bundleId: null,
    packages: null,
    contentHash: '',
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
  },
});

const commitOne = async (log: AuditLog, id = newId('function')): Promise<CommitResult> =>
  await log.commit(context, [insertion(id)], event(id));

const entriesOf = async (storage: Storage) =>
  (await storage.scanAllTenants('auditEntries', {}, 100_000)).map(({ row }) => row);

describe('the audit log', () => {
  it('each change has an entry with its caller and request', async () => {
    const storage = createMemoryStorage();
    const log = open(storage);
    await log.commit({ ...context, remoteAddress: '192.0.2.1' }, [insertion('f1')], {
      ...event('f1'),
      details: { a: 1 },
    });
    await log.commit({ caller: { ...context.caller, id: 'cli', kind: 'service' } }, [insertion('f2')], event('f2'));
    const { rows, total } = await log.list({}, newestFirst, context);
    expect(total).toBe(2);
    expect(rows[1]).toMatchObject({
      sequence: 1,
      action: 'function.created',
      resourceId: 'f1',
      actorId: 'key_a',
      actorKind: 'api-key',
      requestId: 'request_1',
      address: '192.0.2.1',
      details: { a: 1 },
      previousHash: '',
    });
    expect(rows[0]).toMatchObject({ sequence: 2, actorId: 'cli', requestId: null, previousHash: rows[1]?.hash });
  });

  it('the log can be filtered, and shows no other tenant', async () => {
    const log = open(createMemoryStorage());
    await commitOne(log, 'f1');
    await commitOne(log, 'f2');
    await log.commit(contextOf('b'), [insertion('f3')], event('f3'));
    expect((await log.list({ resourceId: 'f2' }, newestFirst, context)).rows).toMatchObject([{ resourceId: 'f2' }]);
    expect((await log.list({ action: 'key.created' }, newestFirst, context)).rows).toEqual([]);
    expect((await log.list({}, newestFirst, contextOf('b'))).rows).toMatchObject([{ resourceId: 'f3', sequence: 1 }]);
  });

  it('a refused change has no entry, and the refusal of the storage is returned', async () => {
    const storage = createMemoryStorage();
    const log = open(storage);
    await commitOne(log, 'f1');
    const missing = { update: 'functions', id: 'none', set: { name: 'x' } } as const;
    const results = await Promise.all([
      commitOne(log, 'f2'),
      log.commit(context, [insertion('f3'), missing], event('f3')),
      commitOne(log, 'f1'),
      log.commit(context, [{ delete: 'functions', id: 'f1', ifRevision: 7 }], event('f1')),
      commitOne(log, 'f4'),
    ]);
    expect(results).toEqual([
      { done: true },
      { done: false, index: 1, reason: 'missing' },
      { done: false, index: 0, reason: 'exists' },
      { done: false, index: 0, reason: 'revision' },
      { done: true },
    ]);
    expect((await entriesOf(storage)).map(({ resourceId }) => resourceId)).toEqual(['f1', 'f2', 'f4']);
    expect(await storage.get(tenant, 'functions', 'f3')).toBeUndefined();
    expect(await verifyAuditLog(storage, tenant, keys)).toEqual({ tenant, verified: 3 });
  });

  it('the log is one chain, however many processes append to it at once', async () => {
    const storage = createMemoryStorage();
    // Answers in its own time, as a database does.
    const slow: Storage = {
      ...storage,
      async commit(...given) {
        await new Promise((resolve) => setImmediate(resolve));
        return await storage.commit(...given);
      },
    };
    const logs = [open(slow), open(slow), open(slow)];
    const results = await Promise.all(
      Array.from({ length: 300 }, async (_, index) => await commitOne(logs[index % 3] as AuditLog)),
    );
    expect(results.every(({ done }) => done)).toBe(true);
    expect(await verifyAuditLog(storage, tenant, keys)).toEqual({ tenant, verified: 300 });
  });

  it('waiting changes share one commit', async () => {
    const storage = createMemoryStorage();
    let commits = 0;
    const counting: Storage = {
      ...storage,
      commit: (...given) => {
        commits += 1;
        return storage.commit(...given);
      },
    };
    const log = open(counting);
    await Promise.all(Array.from({ length: 200 }, async () => await commitOne(log)));
    expect(commits).toBe(1);
    expect((await verifyAuditLog(storage, tenant, keys)).verified).toBe(200);
    await Promise.all(Array.from({ length: 600 }, async () => await commitOne(log)));
    expect(commits).toBe(3);
  });

  it('a change is stored even if another in the same batch cannot be', async () => {
    const storage = createMemoryStorage();
    const log = open(storage);
    const broken = { insert: 'functions', row: { id: 'f9' } } as unknown as Write;
    const results = await Promise.allSettled([
      commitOne(log, 'f1'),
      log.commit(context, [broken], event('f9')),
      commitOne(log, 'f1'),
      commitOne(log, 'f2'),
    ]);
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value.done : 'failed'))).toEqual([
      true,
      'failed',
      false,
      true,
    ]);
    expect((await verifyAuditLog(storage, tenant, keys)).verified).toBe(2);
  });

  it('the log fails with the storage, and recovers with it', async () => {
    const storage = createMemoryStorage();
    let down = false;
    const log = open({
      ...storage,
      commit: (...given) => (down ? Promise.reject(new Error('down')) : storage.commit(...given)),
    });
    await commitOne(log);
    down = true;
    await expect(commitOne(log)).rejects.toThrow('down');
    down = false;
    await commitOne(log);
    expect((await verifyAuditLog(storage, tenant, keys)).verified).toBe(2);
  });
});

describe('a verification', () => {
  const damaged = async (damage: (storage: Storage) => Promise<unknown>) => {
    const storage = createMemoryStorage();
    const log = open(storage);
    for (let index = 1; index <= 250; index += 1) await commitOne(log, `f${index}`);
    const entries = await entriesOf(storage);
    const idAt = (sequence: number) => entries.find((entry) => entry.sequence === sequence)?.id ?? '';
    await damage(storage);
    const { verified, broken } = await verifyAuditLog(storage, tenant, keys);
    return { verified, ...broken, id: broken?.id === undefined ? undefined : broken.id === idAt(verified + 1) };
  };
  const entryAt = async (storage: Storage, sequence: number) => {
    const found = (await entriesOf(storage)).find((entry) => entry.sequence === sequence);
    if (!found) throw new Error('no such entry');
    return found;
  };
  const change = (sequence: number, set: object) => async (storage: Storage) =>
    await storage.commit(tenant, [{ update: 'auditEntries', id: (await entryAt(storage, sequence)).id, set }]);

  it.each([
    { actorId: 'key_b' },
    { action: 'function.deleted' },
    { resourceId: 'f0' },
    { resourceType: 'key' },
    { actorKind: 'user' },
    { requestId: null },
    { address: '192.0.2.1' },
    { createdAt: '2027-01-01T00:00:00.000Z' },
    { details: { a: 1 } },
    { hash: '0'.repeat(64) },
  ])('finds the first entry that was changed to %o', async (set) => {
    const found = await damaged(change(137, set));
    expect(found).toEqual({ verified: 136, sequence: 137, reason: 'the entry was changed', id: true });
  });

  it('a verification finds a removed entry, and an inserted one', async () => {
    const gone = async (storage: Storage) =>
      await storage.commit(tenant, [{ delete: 'auditEntries', id: (await entryAt(storage, 200)).id }]);
    expect(await damaged(gone)).toMatchObject({ verified: 199, sequence: 200, reason: 'the entry is missing' });
    const twice = async (storage: Storage) => {
      const row = { ...(await entryAt(storage, 100)), id: 'audit_~' };
      return await storage.commit(tenant, [{ insert: 'auditEntries', row }]);
    };
    expect(await damaged(twice)).toMatchObject({ verified: 100, reason: 'there is a second entry 100' });
  });

  it('a verification finds that the end of the log was removed or changed', async () => {
    const cut = async (storage: Storage) =>
      await storage.commit(tenant, [{ delete: 'auditEntries', id: (await entryAt(storage, 250)).id }]);
    expect(await damaged(cut)).toMatchObject({ verified: 249, sequence: 250, reason: 'the entry is missing' });
    const headless = (storage: Storage) => storage.commit(tenant, [{ delete: 'auditHeads', id: tenant }]);
    expect(await damaged(headless)).toMatchObject({ verified: 250, reason: 'the end of the log was removed' });
    const moved = (storage: Storage) =>
      storage.commit(tenant, [{ update: 'auditHeads', id: tenant, set: { hash: '0' } }]);
    expect(await damaged(moved)).toMatchObject({ verified: 250, reason: 'the end of the log was changed' });
  });

  it('a verification rejects a chain made without the secret, and accepts one of an older secret', async () => {
    const storage = createMemoryStorage();
    await commitOne(open(storage));
    const other = auditKey({ derive: () => Buffer.alloc(32, 8) });
    expect(await verifyAuditLog(storage, tenant, [other])).toMatchObject({
      broken: { reason: 'the entry was changed' },
    });
    expect(await verifyAuditLog(storage, tenant, [other, ...keys])).toEqual({ tenant, verified: 1 });
  });

  it('of an empty log finds nothing', async () => {
    expect(await verifyAuditLog(createMemoryStorage(), tenant, keys)).toEqual({ tenant, verified: 0 });
  });
});
