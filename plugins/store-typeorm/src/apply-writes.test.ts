import { tenantId } from '@patchbay/core/plugin';
import { describe, expect, it } from 'vitest';
import { changesNoCount, countChanges, countStatements } from './apply-writes.ts';
import { WriteStatements } from './write-statements.ts';

const acme = tenantId('acme');
const statements = new WriteStatements('sqlite');

describe('counters', () => {
  it('counters change once per counter, in an order that does not depend on that of the writes', () => {
    const changes = [
      ...countChanges(acme, 'functionVersions', ['b'], 1),
      ...countChanges(acme, 'functionVersions', ['a'], 1),
      ...countChanges(acme, 'functions', [], 1),
      ...countChanges(acme, 'functionVersions', ['a'], 1),
    ];
    const expected = [
      ['acme', 'functionVersions', '', '', 3],
      ['acme', 'functionVersions', 'functionId', 'a', 2],
      ['acme', 'functionVersions', 'functionId', 'b', 1],
      ['acme', 'functions', '', '', 1],
    ];
    expect(countStatements(statements, changes).map(({ parameters }) => parameters)).toEqual(expected);
    expect(countStatements(statements, changes.reverse()).map(({ parameters }) => parameters)).toEqual(expected);
  });

  it('stay as they are if nothing changed in the end', () => {
    const changes = [
      ...countChanges(acme, 'functionVersions', ['a'], 1),
      ...countChanges(acme, 'functionVersions', ['a'], -1),
    ];
    expect(countStatements(statements, changes)).toEqual([]);
  });

  it('counters of values without rows are deleted', () => {
    const [total, value, empty] = countStatements(statements, [...countChanges(acme, 'functionVersions', ['a'], -1)]);
    expect(total?.parameters).toEqual(['acme', 'functionVersions', '', '', -1]);
    expect(value?.parameters).toEqual(['acme', 'functionVersions', 'functionId', 'a', -1]);
    expect(empty?.sql).toMatch(/^DELETE FROM "counts" .* AND "total" = 0$/);
  });
});

it('a statement of another plugin changes no count, so that alone it needs no transaction around it', () => {
  const content = { sql: 'SELECT 1', parameters: [] };
  expect(changesNoCount({ capability: 'postgres-statement', content })).toBe(true);
  expect(changesNoCount({ delete: 'functions', id: 'a' })).toBe(false);
});
