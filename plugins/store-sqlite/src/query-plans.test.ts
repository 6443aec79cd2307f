import { tenantId } from '@patchbay/core/plugin';
import { type Collection, collections } from '@patchbay/core/storage';
import { type Reading, ReadStatements, type Statement, WriteStatements } from '@patchbay/store-typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, type SqliteDatabase } from './better-sqlite3.ts';
import { temporaryStorage } from './test-support/temporary-storage.ts';

const acme = tenantId('acme');
const reads = new ReadStatements('sqlite');
let subject: Awaited<ReturnType<typeof temporaryStorage>>;
let connection: SqliteDatabase;

beforeAll(async () => {
  subject = await temporaryStorage();
  connection = connect(
    { file: subject.file, busyTimeoutMs: 1_000, cacheMegabytes: 1, maxMegabytes: undefined },
    'read',
  );
});

afterAll(async () => {
  connection.close();
  await subject.dispose();
});

function plan({ sql, parameters }: Statement): string {
  const rows = connection.prepare(`EXPLAIN QUERY PLAN ${sql}`).raw(true).all(parameters);
  return rows.map((row) => String(row[3])).join('\n');
}

function isInteger(collection: Collection, field: string): boolean {
  const { fields }: { readonly fields: Readonly<Record<string, string>> } = collections[collection];
  return fields[field] === 'integer';
}

function filters(collection: Collection): readonly object[] {
  const fields: readonly string[] = collections[collection].filter;
  const all = Object.fromEntries(fields.map((field) => [field, isInteger(collection, field) ? 1 : 'x']));
  return [{}, ...fields.map((field) => ({ [field]: all[field] })), ...(fields.length > 1 ? [all] : [])];
}

const cases = (Object.keys(collections) as Collection[]).flatMap((collection) =>
  collections[collection].sort.flatMap((sort) =>
    filters(collection).flatMap((where) =>
      (['asc', 'desc'] as const).flatMap((order) =>
        [undefined, { value: isInteger(collection, sort) ? 1 : '2026-01-01T00:00:00.000Z', id: 'x' }].map((after) => ({
          name: `${collection} by ${sort} ${order} where ${Object.keys(where).join() || 'any'}${after ? ' after' : ''}`,
          collection,
          query: { sort, order, where, limit: 20, ...(after === undefined ? {} : { after }) },
        })),
      ),
    ),
  ),
);

describe('query plans', () => {
  it.each(cases)('list of $name is read off an index, in its order', ({ collection, query }) => {
    const page: Reading<object> = reads.page(acme, collection, query as never);
    const text = plan(page);
    // One step: nothing is sorted afterwards. Schedules in a state are only asked for of all tenants.
    expect(text).toMatch(/^SEARCH \w+ USING INDEX \w+ \(.*(tenant|lookup_id|lookup_hash|topic|state)=\?.*\)$/);
  });

  it('calls of a function with one outcome are read off one index, and so is their number', () => {
    const where = { functionId: 'x', outcome: 'failed' } as const;
    const page = plan(reads.page(acme, 'callRecords', { where, sort: 'createdAt', order: 'desc', limit: 20 }));
    expect(page).toMatch(/\(function_id=\? AND outcome=\? AND tenant=\?\)$/);
    expect(plan(reads.total(acme, 'callRecords', where))).toMatch(/COVERING INDEX ix_call_records_function_id_outcome/);
  });

  it('calls without a function are in no index by function, and found without one', () => {
    const { sql, parameters } = reads.page(acme, 'callRecords', {
      where: { functionId: '' },
      sort: 'createdAt',
      order: 'desc',
      limit: 20,
    });
    expect(plan({ sql, parameters })).toMatch(/INDEX ix_call_records_tenant_created_at_id \(tenant=\?\)$/);
    const indexes = connection.prepare("SELECT sql FROM sqlite_schema WHERE name LIKE 'ix_call_records_function_id%'");
    for (const [text] of indexes.raw(true).all([])) expect(text).toMatch(/WHERE "function_id" <> ''$/);
  });

  it('a keyset jumps to its place', () => {
    const after = { value: '2026-01-01T00:00:00.000Z', id: 'x' };
    const page = reads.page(acme, 'functions', { sort: 'createdAt', order: 'desc', limit: 20, after });
    expect(plan(page)).toContain('(created_at,id)<(?,?)');
  });

  it('a row is found by its id', () => {
    for (const collection of Object.keys(collections) as Collection[]) {
      expect(plan(reads.get(acme, collection, 'x'))).toMatch(/^SEARCH \w+ USING INDEX \w+ \(id=\?\)$/);
    }
  });

  it('totals come from a counter or, for rare filters, from an index alone', () => {
    const counter = /^SEARCH counts USING PRIMARY KEY \(tenant=\? AND collection=\? AND field=\? AND value=\?\)$/;
    for (const collection of Object.keys(collections) as Collection[]) {
      expect(plan(reads.total(acme, collection, {}))).toMatch(counter);
    }
    expect(plan(reads.total(acme, 'executions', { functionId: 'x' }))).toMatch(counter);
    expect(plan(reads.total(acme, 'functionVersions', { functionId: 'x' }))).toMatch(counter);
    expect(plan(reads.total(acme, 'executions', { status: 'failed' }))).toMatch(counter);
    expect(plan(reads.total(acme, 'functionVersions', { functionId: 'x', version: 1 }))).toMatch(
      /USING COVERING INDEX/,
    );
  });

  it('totals without a counter end at a bound', () => {
    const counting = reads.total(acme, 'callRecords', { functionId: 'x' });
    expect(counting.sql).toMatch(/ LIMIT 10000\)/);
    expect(plan(counting)).toMatch(/SEARCH call_records USING COVERING INDEX .*\(function_id=\? AND tenant=\?\)/);
  });

  it('recovery and the look-up of a key do not read every row', () => {
    expect(plan(reads.scan('executions', { status: 'running' }, 10))).toMatch(/^SEARCH executions USING INDEX/);
    expect(plan(reads.scan('executions', { status: 'running', owner: 'x' }, 10))).toMatch(
      /^SEARCH executions USING INDEX ix_executions_status/,
    );
    expect(plan(reads.scan('apiKeys', { lookupId: 'x' }, 1))).toMatch(/^SEARCH api_keys USING INDEX/);
  });

  it('what is to be swept is read off an index, the oldest first', () => {
    expect(plan(reads.scan('executions', {}, 10, 'createdAt'))).toMatch(
      /^SCAN executions USING INDEX ix_executions_created/,
    );
  });

  it('jobs are read off an index, in the order in which they are due', () => {
    expect(plan(reads.scan('jobs', { topic: 'x', state: 'waiting' }, 10, 'dueAt'))).toMatch(
      /^SEARCH jobs USING INDEX \w+ \(topic=\? AND state=\?\)$/,
    );
  });

  it('what waits for a webhook is read off an index, in the order in which it is due', () => {
    const query = { where: { lane: 'x' }, sort: 'dueAt', order: 'asc', limit: 10 } as const;
    expect(plan(reads.page(acme, 'webhookDeliveries', query))).toMatch(/\(lane=\? AND tenant=\?\)$/);
    expect(plan(reads.total(acme, 'webhookDeliveries', { lane: 'x' }))).toMatch(/^SEARCH counts/);
    expect(plan(reads.scan('webhookEvents', {}, 10, 'createdAt'))).toMatch(/^SCAN webhook_events USING INDEX/);
    expect(plan(reads.total(acme, 'webhookDeliveries', { webhookId: 'x' }))).toMatch(/^SEARCH counts/);
  });

  it.each(['idempotencyKeys', 'webhooks', 'callContents'] as const)('the tenants of %s are found', (collection) => {
    const [sort] = collections[collection].sort;
    expect(plan(reads.scan(collection, {}, 10, sort, {}))).toMatch(/SEARCH \w+ USING \w*\s?INDEX \w+ \(.*tenant>\?/);
  });

  it('the oldest call of each tenant is read off the index of its list', () => {
    const index = /SEARCH call_records USING COVERING INDEX ix_call_records_tenant_created_at_id \(tenant>\?\)/;
    expect(plan(reads.scan('callRecords', {}, 10, 'createdAt', {}))).toMatch(index);
  });

  it('changes find their rows by index', () => {
    const writes = new WriteStatements('sqlite');
    const update = { update: 'functions', id: 'x', fields: ['name'], values: ['y'], ifRevision: 1 } as const;
    expect(plan(writes.update(acme, update))).toMatch(/^SEARCH functions USING INDEX/);
    expect(plan(writes.delete(acme, 'executions', 'x'))).toMatch(/^SEARCH executions USING INDEX/);
    const deletion = writes.deleteWhere(acme, {
      deleteWhere: 'functionVersions',
      fields: ['functionId'],
      values: ['x'],
    });
    expect(plan(deletion)).toMatch(/^SEARCH function_versions USING INDEX/);
  });
});
