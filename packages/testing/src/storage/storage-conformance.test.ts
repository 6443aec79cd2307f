import type { JsonValue } from '@patchbay/core/plugin';
import {
  type Collection,
  collections,
  createMemoryStorage,
  type Rows,
  type Storage,
  type StorageSignals,
  type Write,
} from '@patchbay/core/storage';
import { describe, expect, it } from 'vitest';
import { failingTests } from '../failing-tests.ts';
import { storageConformance } from './storage-conformance.ts';
import type { StorageUnderTest } from './storage-under-test.ts';

const subject = (storage: Storage): StorageUnderTest => ({ storage, dispose: async () => {} });

/** A sound storage but for what `spoil` makes of its methods. */
const spoilt = (spoil: (storage: Storage) => Partial<Storage>) => (): StorageUnderTest => {
  const sound = createMemoryStorage();
  const methods: Storage = {
    get: (...given) => sound.get(...given),
    list: (...given) => sound.list(...given),
    commit: (...given) => sound.commit(...given),
    scanAllTenants: (...given) => sound.scanAllTenants(...given),
    migrate: () => sound.migrate(),
  };
  return subject({ ...methods, ...spoil(sound) });
};

/** Changes each write before it is done. */
const writing = (change: (write: Write) => Write | readonly Write[]) =>
  spoilt((sound) => ({ commit: (tenant, writes) => sound.commit(tenant, writes.flatMap(change)) }));

/** Changes each row before it is returned. */
const reading = (change: (row: Rows[Collection]) => object) =>
  spoilt((sound) => ({
    async get(...given) {
      const row = await sound.get(...given);
      return row === undefined ? undefined : (change(row) as typeof row);
    },
    async list(...given) {
      const { rows, total } = await sound.list(...given);
      return { rows: rows.map((row) => change(row as never) as typeof row), total };
    },
  }));

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, part]) => [name, sortKeys(part)]));
}

const cutAtNul = (row: object): object =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'string' ? value.split('\0')[0] : value]),
  );

const lower = (id: string): string => id.toLowerCase();

const later = () => new Promise<void>((resolve) => void setTimeout(resolve, 5));

const broken: readonly (readonly [what: string, create: () => StorageUnderTest, test: string])[] = [
  [
    'shows rows of other tenants to who knows their id',
    spoilt((sound) => ({
      async get(_, collection, id) {
        const found = await sound.scanAllTenants(collection, {}, 1_000);
        return found.find(({ row }) => row.id === id)?.row;
      },
    })),
    "functions: another tenant's rows are missing for every operation",
  ],
  [
    'lists rows of other tenants',
    spoilt((sound) => ({
      async list(tenant, collection, query) {
        const own = await sound.list(tenant, collection, query);
        const all = await sound.scanAllTenants(collection, query.where ?? {}, query.limit);
        return { rows: all.map(({ row }) => row) as unknown as typeof own.rows, total: all.length };
      },
    })),
    'filters and deleteWhere stay within the tenant',
  ],
  [
    'deletes rows of other tenants',
    spoilt((sound) => ({
      async commit(tenant, writes) {
        for (const write of writes) {
          if (!('deleteWhere' in write)) continue;
          for (const { tenant: owner } of await sound.scanAllTenants(write.deleteWhere, write.where, 1_000)) {
            await sound.commit(owner, [write]);
          }
        }
        return await sound.commit(tenant, writes);
      },
    })),
    'filters and deleteWhere stay within the tenant',
  ],
  [
    'loses updates',
    writing((write) => {
      if (!('ifRevision' in write)) return write;
      const { ifRevision: _, ...unguarded } = write;
      return unguarded as Write;
    }),
    '50 writers that try again all get through, each upon the last',
  ],
  [
    'looks at the revision first and writes later',
    spoilt((sound) => ({
      async commit(tenant, writes) {
        for (const [index, write] of writes.entries()) {
          if (!('update' in write) || write.ifRevision === undefined) continue;
          const row = await sound.get(tenant, write.update, write.id);
          if (row?.revision !== write.ifRevision) return { done: false, index, reason: 'revision' };
        }
        await later();
        const unguarded = writes.map((write) => ('update' in write ? { ...write, ifRevision: undefined } : write));
        return await sound.commit(tenant, JSON.parse(JSON.stringify(unguarded)) as Write[]);
      },
    })),
    'of 50 updates of one revision, one is done',
  ],
  [
    'counts only rows without nulls',
    spoilt((sound) => ({
      async list(tenant, collection, query) {
        const page = await sound.list(tenant, collection, query);
        const { rows } = await sound.list(tenant, collection, { ...query, limit: 100, offset: 0 });
        const full = rows.filter((row) => Object.values(row).every((value) => value !== null));
        return { ...page, total: full.length };
      },
    })),
    'the total counts every match, also where selected fields are null',
  ],
  [
    'counts the rows of the page',
    spoilt((sound) => ({
      async list(...given) {
        const { rows } = await sound.list(...given);
        return { rows, total: rows.length };
      },
    })),
    'pages follow one another, up to the last and beyond',
  ],
  [
    'keeps the first half of a commit that is refused',
    spoilt((sound) => ({
      async commit(tenant, writes) {
        for (const [index, write] of writes.entries()) {
          const result = await sound.commit(tenant, [write]);
          if (!result.done) return { ...result, index };
        }
        return { done: true };
      },
    })),
    'commits beside a refused one are not affected by it',
  ],
  [
    'shows commits before they are whole',
    spoilt((sound) => ({
      async commit(tenant, writes) {
        for (const [index, write] of writes.entries()) {
          const result = await sound.commit(tenant, [write]);
          if (!result.done) return { ...result, index };
          await new Promise(setImmediate);
        }
        return { done: true };
      },
    })),
    'no reader sees half a commit',
  ],
  [
    'leaves ties in any order',
    spoilt((sound) => ({
      async list(tenant, collection, query) {
        const page = await sound.list(tenant, collection, query);
        const rows = [...page.rows].sort((a, b) => {
          const [one, two] = [a, b].map((row) => Reflect.get(row, query.sort) as string | number);
          const order = one === two ? 0 : (one ?? 0) < (two ?? 0) ? -1 : 1;
          return query.order === 'asc' ? order : -order;
        });
        rows.reverse();
        return { ...page, rows };
      },
    })),
    'functions by createdAt, with ties',
  ],
  [
    'sorts as JavaScript does',
    spoilt((sound) => ({
      async list(tenant, collection, query) {
        const { rows, total } = await sound.list(tenant, collection, query);
        const sorted = [...rows].sort((a, b) =>
          String(Reflect.get(a, 'name')) < String(Reflect.get(b, 'name')) ? -1 : 1,
        );
        return { rows: query.order === 'asc' ? sorted : sorted.reverse(), total };
      },
    })),
    'strings order by code point',
  ],
  [
    'starts the next page behind the value and not behind the row',
    spoilt((sound) => ({
      async list(tenant, collection, query) {
        if (query.after === undefined) return await sound.list(tenant, collection, query);
        const id = query.order === 'asc' ? '\u{10ffff}' : '';
        return await sound.list(tenant, collection, { ...query, after: { ...query.after, id } });
      },
    })),
    'createdAt asc: meets every row once while others are inserted and deleted',
  ],
  [
    'sorts the keys of documents',
    reading((row) => sortKeys(row) as object),
    'functions: every type of field keeps its extremes',
  ],
  ['cuts texts at U+0000', reading(cutAtNul), 'functions: every type of field keeps its extremes'],
  [
    'rounds big numbers',
    reading(
      (row) =>
        JSON.parse(JSON.stringify(row), (_, value: JsonValue) =>
          typeof value === 'number' ? Math.fround(value) : value,
        ) as object,
    ),
    'functionVersions: every type of field keeps its extremes',
  ],
  [
    'takes ids for equal that differ in case',
    spoilt((sound) => ({ get: (tenant, collection, id) => sound.get(tenant, collection, lower(id)) })),
    'ids are compared exactly',
  ],
  [
    'takes a filter without a value for none',
    spoilt((sound) => ({
      list: (tenant, collection, query) =>
        sound.list(tenant, collection, { ...query, where: JSON.parse(JSON.stringify(query.where ?? {})) as never }),
    })),
    'a filter without a value does not match everything',
  ],
  [
    'acknowledges before it has written',
    spoilt((sound) => ({
      async commit(tenant, writes) {
        void later().then(() => sound.commit(tenant, writes));
        return { done: true };
      },
    })),
    'a read that starts after an acknowledgement sees the commit',
  ],
  [
    'hands out what it keeps',
    spoilt((sound) => {
      const kept = new Map<string, object>();
      return {
        async get(tenant, collection, id) {
          const row = kept.get(`${collection} ${id}`) ?? structuredClone(await sound.get(tenant, collection, id));
          if (row !== undefined) kept.set(`${collection} ${id}`, row);
          return row as never;
        },
      };
    }),
    'changes of a row in hand do not affect stored rows',
  ],
  [
    'sets what an update must not set',
    writing((write) => ('update' in write ? ({ ...write, set: withoutIdentity(write.set) } as Write) : write)),
    'an update cannot set the id or the revision',
  ],
  [
    'forgets the unique fields',
    writing((write) => freed(write)),
    'a unique value is taken over all tenants, until its row is gone',
  ],
];

function withoutIdentity(set: object): object {
  return Object.fromEntries(Object.entries(set).filter(([name]) => name !== 'id' && name !== 'revision'));
}

let freedValues = 0;
function freed(write: Write): Write {
  if (!('insert' in write) || collections[write.insert].unique.length === 0) return write;
  freedValues += 1;
  return { ...write, row: { ...write.row, lookupId: `free_${freedValues}` } } as Write;
}

describe('the conformance suite of storages', () => {
  it.each(broken)('catches a storage that %s', async (_, create, test) => {
    const failing = (make: () => StorageUnderTest) =>
      failingTests((runner) => storageConformance(runner, { create: async () => make() }), [test]);
    expect(await failing(() => subject(createMemoryStorage()))).toEqual([]);
    expect(await failing(create)).toEqual([test]);
  });

  it('catches a storage that forgets while it claims not to', async () => {
    const test = 'acknowledged rows survive a restart';
    const forgetful = async () => ({ ...subject(createMemoryStorage()), reopen: async () => createMemoryStorage() });
    const declare = (reopen: boolean) =>
      failingTests(
        (runner) =>
          storageConformance(runner, {
            async create() {
              const sound = createMemoryStorage();
              return reopen ? { ...subject(sound), reopen: async () => sound } : await forgetful();
            },
            capabilities: ['durable'],
          }),
        [test],
      );
    expect(await declare(true)).toEqual([]);
    expect(await declare(false)).toEqual([test]);
  });

  it('catches a storage that claims an order which it does not keep', async () => {
    const test = 'match the results in memory (functions, functionVersions, functionBundles)';
    const create = spoilt((sound) => {
      let turn = 0;
      return {
        async commit(tenant, writes) {
          turn += 1;
          if (turn % 3 === 0) await later();
          return await sound.commit(tenant, writes);
        },
      };
    });
    const failing = (capabilities: readonly string[]) =>
      failingTests((runner) => storageConformance(runner, { create: async () => create(), capabilities }), [test]);
    expect(await failing([])).toEqual([]);
    expect(await failing(['ordered'])).toEqual([test]);
  });

  it('catches a storage whose signals are lost, or never end', async () => {
    const test = 'reach every listener, in this process too, until it stops listening';
    type Heard = Parameters<StorageSignals['listen']>[0];
    const withSignals = (hear: (listeners: Set<Heard>, name: string) => void, closes = true) =>
      spoilt(() => {
        const listeners = new Set<Heard>();
        const listen: StorageSignals['listen'] = (heard) => {
          listeners.add(heard);
          return { close: () => void (closes && listeners.delete(heard)) };
        };
        return { signals: { send: (name) => hear(listeners, name), listen } };
      });
    const all = (listeners: Set<Heard>, name: string): void => {
      for (const heard of listeners) heard(name);
    };
    const failing = (create: () => StorageUnderTest) =>
      failingTests((runner) => storageConformance(runner, { create: async () => create() }), [test]);
    const cut = withSignals((listeners, name) => all(listeners, name.slice(0, 100)));
    const subjects = [withSignals(all), withSignals(all, false), cut];
    expect(await Promise.all(subjects.map(failing))).toEqual([[], [test], [test]]);
  });
});
