/**
 * How much group commit saves: rows per second with 32 writers at once, against the same rows committed one by one.
 *
 *     node --conditions=source bench/storage-writes.ts [rows]
 */
import { tenantId } from '@patchbay/core/plugin';
import { functionRow, withSqlite } from './sqlite-folder.ts';

const rows = Number(process.argv[2] ?? 8_000);
const tenant = tenantId('bench');

async function perSecond(writers: number): Promise<number> {
  let rate = 0;
  await withSqlite(async (storage) => {
    let next = 0;
    const write = async () => {
      for (let row = next++; row < rows; row = next++) {
        const result = await storage.commit(tenant, [{ insert: 'functions', row: functionRow(row) }]);
        if (!result.done) throw new Error(`row ${row} was refused`);
      }
    };
    const start = performance.now();
    await Promise.all(Array.from({ length: writers }, write));
    rate = rows / ((performance.now() - start) / 1_000);
  });
  return rate;
}

const alone = await perSecond(1);
console.log(`writers   rows/s   against one commit per row`);
for (const writers of [1, 2, 8, 32, 128, 512]) {
  const rate = writers === 1 ? alone : await perSecond(writers);
  console.log(`${String(writers).padStart(7)}  ${rate.toFixed(0).padStart(7)}   ${(rate / alone).toFixed(1)}x`);
}
