import { tenantId } from '@patchbay/core/plugin';
import { SqliteStorage } from '../sqlite-storage.ts';
import { functionRow } from './function-row.ts';

const [file = '', prefix = '', rows = '0'] = process.argv.slice(2);
const storage = new SqliteStorage({ file, busyTimeoutMs: 10_000, cacheMegabytes: 1, maxMegabytes: undefined });
await storage.start(AbortSignal.timeout(10_000));
console.log(`migrated ${(await storage.migrate()).length}`);
for (let row = 0; row < Number(rows); row += 1) {
  const result = await storage.commit(tenantId('acme'), [
    { insert: 'functions', row: functionRow(`${prefix}_${row}`) },
  ]);
  if (!result.done) throw new Error(`row ${row} was refused`);
}
await storage.stop();
