import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import sqlite from '@patchbay/store-sqlite';
import { testContext } from '@patchbay/testing';

const name = 'patchbay.db';

/**
 * Give a server a database that is empty and has every migration, so that its start need not load TypeORM. The first caller
 * of a run makes it, in the folder of the run (`PATCHBAY_TEST_RUN` of `scripts/test-run.ts`); without one there is none.
 */
export async function copyMigratedDatabase(directory: string): Promise<void> {
  const run = process.env['PATCHBAY_TEST_RUN'];
  if (run === undefined || existsSync(join(directory, name))) return;
  const template = join(run, name);
  if (!existsSync(template)) await migrateInto(run);
  await copyFile(template, join(directory, name));
}

async function migrateInto(run: string): Promise<void> {
  // Callers in other workers may make another one at the same time; whichever is moved last is as good.
  const directory = await mkdtemp(join(run, 'making-'));
  const { logger } = testContext();
  const config = { driver: 'better-sqlite3', file: name, busyTimeoutMs: 5_000, cacheMegabytes: 16 } as const;
  await sqlite.definition.create({ deps: {}, logger, mount: 'storage', directory, config }).migrate();
  await rename(join(directory, name), join(run, name));
  await rm(directory, { recursive: true });
}
