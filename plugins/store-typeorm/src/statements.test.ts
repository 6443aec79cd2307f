import { tenantId } from '@patchbay/core/plugin';
import { type Collection, collections, type ExecutionStatus, type Write } from '@patchbay/core/storage';
import { describe, expect, it } from 'vitest';
import { ReadStatements } from './read-statements.ts';
import type { Statement } from './sql.ts';
import { WriteEncoder, WriteStatements } from './write-statements.ts';

const acme = tenantId('acme');
const hostile = `'"; DROP TABLE functions; --`;
const names = Object.keys(collections) as Collection[];

const row = {
  id: hostile,
  revision: 1,
  name: hostile,
  key: hostile,
  description: hostile,
  input: { type: 'object', title: hostile },
  output: {},
  code: hostile,
  artifact: '',
  bundleId: null,
  packages: null,
  contentHash: '',
  createdAt: '2026-01-02T03:04:05.678Z',
  updatedAt: '2026-01-02T03:04:05.678Z',
} as const;

function written(
  statements: WriteStatements,
  dialect: 'sqlite' | 'postgres',
  writes: readonly Write[],
): readonly Statement[] {
  return new WriteEncoder(dialect).encode(acme, writes).flatMap((write) => {
    if ('insert' in write) return statements.insert(write);
    if ('update' in write) return statements.update(acme, write);
    return 'deleteWhere' in write ? statements.deleteWhere(acme, write) : [];
  });
}

function everyStatement(dialect: 'sqlite' | 'postgres'): readonly Statement[] {
  const reads = new ReadStatements(dialect);
  const writes = new WriteStatements(dialect);
  const where = { functionId: hostile, status: hostile as ExecutionStatus };
  const after = { value: '2026-01-02T03:04:05.678Z', id: hostile };
  return [
    ...names.flatMap((collection) => [
      reads.get(acme, collection, hostile),
      reads.total(acme, collection, {}),
      writes.delete(acme, collection, hostile, 1),
      writes.current(acme, collection, hostile),
    ]),
    reads.page(acme, 'executions', { sort: 'createdAt', order: 'desc', limit: 20, where, after }),
    reads.page(acme, 'executions', { sort: 'createdAt', order: 'asc', limit: 20, offset: 40, select: ['id'] }),
    reads.total(acme, 'executions', { functionId: hostile }),
    reads.total(acme, 'executions', where),
    reads.scan('executions', where, 10),
    ...written(writes, dialect, [
      { insert: 'functions', row },
      { update: 'functions', id: hostile, set: { name: hostile, input: { title: hostile } }, ifRevision: 3 },
      { deleteWhere: 'executions', where },
    ]),
    writes.addToCounter(acme, 'executions', 'functionId', hostile, -1),
    writes.removeEmptyCounter(acme, 'executions', 'functionId', hostile),
  ];
}

describe.each(['sqlite', 'postgres'] as const)('statements for %s', (dialect) => {
  it('pass values of a caller as parameters, with a placeholder for each', () => {
    for (const { sql, parameters } of everyStatement(dialect)) {
      expect(sql).not.toContain('DROP');
      expect(sql).not.toContain('acme');
      const placeholders = sql.match(dialect === 'sqlite' ? /\?/g : /\$\d+/g) ?? [];
      expect(placeholders).toHaveLength(parameters.length);
    }
  });

  it('share one text per shape, so that they can be prepared', () => {
    const reads = new ReadStatements(dialect);
    const text = (functionId: string, limit: number) =>
      reads.page(acme, 'executions', { sort: 'createdAt', order: 'desc', where: { functionId }, limit }).sql;
    expect(text('a', 1)).toBe(text('b', 100));
    const filter = (where: object) => reads.scan('executions', where, 1).sql;
    expect(filter({ status: 'failed', functionId: 'a' })).toBe(filter({ functionId: 'b', status: 'running' }));
  });

  it('read the columns that were asked for and no others', () => {
    const page = new ReadStatements(dialect).page(acme, 'functions', {
      sort: 'createdAt',
      order: 'desc',
      limit: 20,
      select: ['updatedAt', 'id'],
    });
    expect(page.sql).toMatch(/^SELECT "id", "updated_at" FROM "functions" WHERE /);
    expect(page.sql).not.toContain('code');
  });
});

describe('statements for postgres', () => {
  it('statements for postgres number their placeholders in the order of the parameters', () => {
    const { sql, parameters } = new ReadStatements('postgres').page(acme, 'executions', {
      sort: 'createdAt',
      order: 'desc',
      limit: 20,
      where: { functionId: 'f' },
      after: { value: '2026-01-01T00:00:00.000Z', id: 'x' },
      select: ['id'],
    });
    expect(sql).toBe(
      'SELECT "id" FROM "executions" WHERE "tenant" = $1 AND "function_id" = $2 AND ("created_at", "id") < ($3, $4) ' +
        'ORDER BY "created_at" DESC, "id" DESC LIMIT $5 OFFSET $6',
    );
    expect(parameters).toEqual(['acme', 'f', '2026-01-01T00:00:00.000Z', 'x', 20, 0]);
  });
});
