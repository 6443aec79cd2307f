import type { Storage } from '@patchbay/contracts/storage';

/** For a storage that an operator migrates: without its latest schema, every statement would fail without a reason. */
export async function requireMigrated(storage: Storage): Promise<void> {
  const pending = (await storage.pendingMigrations?.()) ?? [];
  if (pending.length === 0) return;
  throw new Error(`migrations are pending (${pending.length}), and autoMigrate is false: run "patchbay migrate up"`);
}
