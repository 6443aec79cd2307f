import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { runCli } from '@patchbay/server/fixtures/run-cli';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newFolder } from '../driver/run-server.ts';

// A path that leads to the database of another application.

const folder = newFolder();
const file = join(folder, 'notes.db');

beforeAll(() => {
  const database = new DatabaseSync(file);
  database.exec('CREATE TABLE notes (b TEXT); CREATE TABLE functions (a INTEGER)');
  database.close();
  const storage = 'storage: { use: "@patchbay/store-sqlite", with: { file: ./notes.db } }';
  writeFileSync(join(folder, 'patchbay.config.yaml'), `patchbay: 1\n${storage}\nsecret: ${'s'.repeat(40)}\n`);
  writeFileSync(join(folder, 'dump.jsonl'), '{"patchbay":"dump","version":1}\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  'serve',
  'migrate status',
  'migrate up',
  'backup',
  'restore dump.jsonl',
  'export',
  'import dump.jsonl',
  'keys list',
])('%s refuses the database of another application, and leaves it alone', async (line) => {
  const before = [readdirSync(folder), readFileSync(file)];
  const { code, stdout, stderr } = await runCli({ cwd: folder, env: { PORT: '0' } }, ...line.split(' '));
  expect([code, stdout, stderr]).toEqual([
    1,
    '',
    expect.stringContaining(
      `storage (@patchbay/store-sqlite) did not start: ${file} has tables of something else ("functions", "notes"): ` +
        'name another file for the storage',
    ),
  ]);
  expect([readdirSync(folder), readFileSync(file)]).toEqual(before);
});
