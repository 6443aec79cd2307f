import { tenantId } from '@patchbay/core/plugin';
import type { Storage } from '@patchbay/core/storage';
import type { Statement } from '@patchbay/store-typeorm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KnownRows } from './known-rows.ts';
import { SqliteStorage } from './sqlite-storage.ts';
import { functionRow } from './test-support/function-row.ts';
import { temporaryStorage } from './test-support/temporary-storage.ts';

describe('a list that is read again', () => {
  const [acme, globex] = [tenantId('acme'), tenantId('globex')];
  let subject: Awaited<ReturnType<typeof temporaryStorage>>;
  let other: SqliteStorage;

  beforeEach(async () => {
    subject = await temporaryStorage();
    other = new SqliteStorage({ file: subject.file, busyTimeoutMs: 5_000, cacheMegabytes: 1, maxMegabytes: undefined });
    await other.start(new AbortController().signal);
    await insert(subject.storage, 'a');
    for (let time = 0; time < 3; time += 1) await list();
  });

  afterEach(async () => {
    await other.stop();
    await subject.dispose();
  });

  const insert = (storage: Storage, id: string, tenant = acme) =>
    storage.commit(tenant, [{ insert: 'functions', row: functionRow(id) }]);
  const list = async (tenant = acme, limit = 20) => {
    const page = await subject.storage.list(tenant, 'functions', { sort: 'name', order: 'asc', limit });
    return { ids: page.rows.map(({ id }) => id).sort(), total: page.total };
  };

  it('has what was committed meanwhile, here or by another connection', async () => {
    expect(await list()).toEqual({ ids: ['a'], total: 1 });
    await insert(subject.storage, 'b');
    expect(await list()).toEqual({ ids: ['a', 'b'], total: 2 });
    await insert(other, 'c');
    expect(await list()).toEqual({ ids: ['a', 'b', 'c'], total: 3 });
    await subject.storage.commit(acme, [{ delete: 'functions', id: 'a' }]);
    expect(await list()).toEqual({ ids: ['b', 'c'], total: 2 });
  });

  it('has what was committed between two reads of one turn of the event loop', async () => {
    const before = list();
    await insert(subject.storage, 'b');
    const after = list();
    expect(await before).toEqual({ ids: ['a'], total: 1 });
    expect(await after).toEqual({ ids: ['a', 'b'], total: 2 });
  });

  it('differs by tenant and by parameters', async () => {
    await insert(subject.storage, 'b');
    await insert(subject.storage, 'z', globex);
    expect(await list()).toEqual({ ids: ['a', 'b'], total: 2 });
    expect(await list(globex)).toEqual({ ids: ['z'], total: 1 });
    expect((await list(acme, 1)).ids).toHaveLength(1);
    expect(await list()).toEqual({ ids: ['a', 'b'], total: 2 });
  });

  it('cannot be changed by its callers', async () => {
    const query = { sort: 'name', order: 'asc', limit: 1 } as const;
    const rows: unknown[] = [];
    for (let time = 0; time < 4; time += 1) {
      const [row] = (await subject.storage.list(acme, 'functions', query)).rows;
      expect(row).toEqual(functionRow('a'));
      rows.push(row);
    }
    const last = rows.at(-1) as { input: { type: string } };
    expect(rows.at(-2)).toBe(last);
    expect(() => Object.assign(last, { name: 'changed' })).toThrow(TypeError);
    expect(() => Object.assign(last.input, { type: 'changed' })).toThrow(TypeError);
  });
});

describe('rows that are read by their id, many in one turn of the event loop', () => {
  const acme = tenantId('acme');
  let subject: Awaited<ReturnType<typeof temporaryStorage>>;

  beforeEach(async () => {
    subject = await temporaryStorage();
    await subject.storage.commit(acme, [{ insert: 'functions', row: functionRow('a') }]);
    for (let turn = 0; turn < 3; turn += 1) await readTogether();
  });

  afterEach(() => subject.dispose());

  const get = (tenant = acme, id = 'a') => subject.storage.get(tenant, 'functions', id);
  const readTogether = () => Promise.all([get(), get(), get()]);
  const rename = (storage: Storage, description: string) =>
    storage.commit(acme, [{ update: 'functions', id: 'a', set: { description } }]);

  it('have what was committed meanwhile, here or by another connection', async () => {
    const other = new SqliteStorage({
      file: subject.file,
      busyTimeoutMs: 5_000,
      cacheMegabytes: 1,
      maxMegabytes: undefined,
    });
    await other.start(new AbortController().signal);
    const descriptions = async () => (await readTogether()).map((row) => row?.description);
    await rename(subject.storage, 'here');
    expect(await descriptions()).toEqual(['here', 'here', 'here']);
    await rename(other, 'there');
    expect(await descriptions()).toEqual(['there', 'there', 'there']);
    await subject.storage.commit(acme, [{ delete: 'functions', id: 'a' }]);
    expect(await readTogether()).toEqual([undefined, undefined, undefined]);
    await other.stop();
  });

  it('have what was committed between two reads of the turn', async () => {
    const before = [get(), get()];
    await rename(subject.storage, 'between');
    const after = [get(), get()];
    expect((await Promise.all(before)).map((row) => row?.revision)).toEqual([1, 1]);
    expect((await Promise.all(after)).map((row) => row?.description)).toEqual(['between', 'between']);
  });

  it('differ by tenant and by id', async () => {
    const [own, others, missing] = await Promise.all([get(), get(tenantId('globex')), get(acme, 'b')]);
    expect([own?.id, others, missing]).toEqual(['a', undefined, undefined]);
  });
});

describe('rows that are kept', () => {
  let finds = 0;

  beforeEach(() => {
    finds = 0;
  });

  const read = (known: KnownRows, parameter: string, text = 'x') => {
    const statement: Statement = { sql: 'SELECT ?', parameters: [parameter] };
    return known.read([statement], () => {
      finds += 1;
      return [[text]];
    });
  };

  it('are forgotten with another version', () => {
    const known = new KnownRows();
    known.checkVersion(1);
    for (let time = 0; time < 5; time += 1) read(known, 'a');
    expect(finds).toBe(2);
    known.checkVersion(1);
    read(known, 'a');
    expect(finds).toBe(2);
    known.checkVersion(2);
    read(known, 'a');
    expect(finds).toBe(3);
  });

  it('have at most so many characters together, also where each has hardly any', () => {
    const known = new KnownRows();
    const readAll = () => {
      for (let number = 0; number < 5_000; number += 1)
        for (let time = 0; time < 2; time += 1) read(known, String(number));
    };
    readAll();
    finds = 0;
    readAll();
    expect(finds).toBeGreaterThan(5_000);
  });

  it('are not those of a large result', () => {
    const known = new KnownRows();
    for (let time = 0; time < 4; time += 1) {
      const [rows] = read(known, 'a', 'x'.repeat(100_000));
      expect(Object.isFrozen(rows)).toBe(false);
    }
    expect(finds).toBe(4);
  });
});
