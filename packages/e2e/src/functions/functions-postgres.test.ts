import { readFile } from 'node:fs/promises';
import { missingPostgres, openPostgres, type TestDatabase, type TestPostgres } from '@patchbay/postgres-for-tests';
import { afterAll, describe, expect, it } from 'vitest';
import { areaASuite } from './functions-suite.ts';

const missing = missingPostgres();
let postgres: TestPostgres | undefined;
let database: TestDatabase | undefined;
afterAll(() => postgres?.stop());

describe.skipIf(missing !== undefined)(`on PostgreSQL${missing === undefined ? '' : ` (${missing})`}`, () => {
  areaASuite(async () => {
    postgres = await openPostgres();
    database = await postgres.createDatabase();
    const builtIn = await readFile(new URL('../../../server/default.yaml', import.meta.url), 'utf8');
    // The lines that an operator changes as well.
    const storage = `storage: { use: "@patchbay/store-postgres", with: { url: "\${DATABASE_URL}" } }\n`;
    const config = builtIn.replace(/storage:\n( .*\n)+/, storage);
    return { config, env: { DATABASE_URL: database.url } };
  });

  it('kept its rows there', async () => {
    const sql = 'SELECT (SELECT COUNT(*) FROM executions) AS executions, (SELECT COUNT(*) FROM functions) AS functions';
    const [row] = (await database?.query(sql)) ?? [];
    expect(Number(row?.['executions'])).toBeGreaterThan(5);
    expect(Number(row?.['functions'])).toBeGreaterThan(5);
  });
});
