import { setTimeout as wait } from 'node:timers/promises';
import { listPendingMigrations, runMigrations } from '@patchbay/store-typeorm';
import type { DataSource, QueryRunner } from 'typeorm';
import { isBusy } from './failures.ts';

/**
 * Bring the schema up to date in one transaction: all pending migrations or none. Two processes take turns, and the
 * second finds nothing to do.
 */
export async function migrate(dataSource: DataSource, busyTimeoutMs: number): Promise<readonly string[]> {
  return await inTransaction(dataSource, busyTimeoutMs, 'COMMIT', runMigrations);
}

/** Names of what `migrate` would run. The database stays as it is. */
export async function pendingMigrations(dataSource: DataSource, busyTimeoutMs: number): Promise<readonly string[]> {
  return await inTransaction(dataSource, busyTimeoutMs, 'ROLLBACK', listPendingMigrations);
}

async function inTransaction(
  dataSource: DataSource,
  busyTimeoutMs: number,
  end: 'COMMIT' | 'ROLLBACK',
  work: typeof runMigrations,
): Promise<readonly string[]> {
  const runner = dataSource.createQueryRunner();
  await begin(runner, performance.now() + busyTimeoutMs);
  try {
    const names = await work(dataSource, runner);
    await runner.query(end);
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
