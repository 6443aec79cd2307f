import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runMigrations } from '@patchbay/store-typeorm/migrations';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect } from './better-sqlite3.ts';
import { betterSqlite3DataSource } from './better-sqlite3-data-source.ts';
import { SqliteStorage } from './sqlite-storage.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'patchbay-sqlite-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const options = (name: string) => ({
  file: join(folder, name),
  busyTimeoutMs: 1_000,
  cacheMegabytes: 1,
  maxMegabytes: undefined,
});

function rowsOf(name: string, sql: string): readonly (readonly unknown[])[] {
  const database = connect(options(name), 'read');
  try {
    return database.prepare(sql).raw(true).all([]);
  } finally {
    database.close();
  }
}

const schema = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid";
const migrations = 'SELECT id, timestamp, name FROM migrations ORDER BY id';

async function migrateStepByStep(name: string): Promise<readonly string[]> {
  await writeFile(join(folder, name), '');
  const dataSource = await betterSqlite3DataSource(options(name));
  const names = await runMigrations(dataSource, dataSource.createQueryRunner(), 'run');
  await dataSource.destroy();
  return names;
}

describe('a new schema', () => {
  it('a new schema is what all migrations make, one after the other', async () => {
    const names = await migrateStepByStep('migrated.db');
    const made = rowsOf('migrated.db', schema).flat();
    await expect(`${JSON.stringify(made, null, 2)}\n`).toMatchFileSnapshot('./new-schema.json');
    expect(await new SqliteStorage(options('new.db')).migrate()).toEqual(names);
    expect(rowsOf('new.db', schema)).toEqual(rowsOf('migrated.db', schema));
    expect(rowsOf('new.db', migrations)).toEqual(rowsOf('migrated.db', migrations));
  });

  it('a new schema is made once by storages that start together', async () => {
    const storages = [1, 2, 3].map(() => new SqliteStorage(options('shared.db')));
    const made = await Promise.all(storages.map(async (storage) => await storage.migrate()));
    expect(made.filter(({ length }) => length > 0)).toHaveLength(1);
    expect(await new SqliteStorage(options('shared.db')).pendingMigrations()).toEqual([]);
  });
});
