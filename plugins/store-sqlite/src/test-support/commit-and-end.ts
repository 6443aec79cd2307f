import { tenantId } from '@patchbay/core/plugin';
import { SqliteStorage } from '../sqlite-storage.ts';
import { functionRow } from './function-row.ts';

/** Commits to a database that is there, and does not wait for it. */
const [file = ''] = process.argv.slice(2);
const storage = new SqliteStorage({ file, busyTimeoutMs: 5_000, cacheMegabytes: 1, maxMegabytes: undefined });
await storage.start(AbortSignal.timeout(10_000));
void storage.commit(tenantId('acme'), [{ insert: 'functions', row: functionRow('last') }]);
