import { setTimeout as wait } from 'node:timers/promises';
import { runMigrations } from '@patchbay/store-typeorm';
import type { DataSource, QueryRunner } from 'typeorm';
import { isBusy } from './failures.ts';

/**
 * Bring the schema up to date in one transaction: all pending migrations or none. Two processes take turns, and the
 * second finds nothing to do.
 */
export async function migrate(dataSource: DataSource, busyTimeoutMs: number): Promise<readonly string[]> {
  const runner = dataSource.createQueryRunner();
  await begin(runner, performance.now() + busyTimeoutMs);
  try {
    const names = await runMigrations(dataSource, runner);
    await runner.query('COMMIT');
    return names;
  } catch (error) {
    await runner.query('ROLLBACK');
    throw error;
  }
}

async function begin(runner: QueryRunner, deadline: number): Promise<void> {
  for (;;) {
    try {
      await runner.query('BEGIN IMMEDIATE');
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      await wait(5);
    }
  }
}
