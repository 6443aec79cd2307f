/**
 * How much group commit saves: rows per second with 32 writers at once, against the same rows committed one by one.
 *
 *     node --conditions=source bench/storage-writes.ts [rows]
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { tenantId } from '@patchbay/core/plugin';
import { openScorecard } from '../scripts/scorecard/open-scorecard.ts';
import type { Figure } from '../scripts/scorecard/scorecard-record.ts';
import { functionRow, withSqlite } from './sqlite-folder.ts';

const scorecard = openScorecard('storage-writes');

const rows = Number(process.argv[2] ?? 8_000);
const tenant = tenantId('bench');

interface Measured {
  readonly rate: number;
  /** Milliseconds for which nothing else could run, at the 99th percentile and at the worst. */
  readonly stall: { readonly p99: number; readonly longest: number };
}

async function measure(writers: number): Promise<Measured> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  let rate = 0;
  await withSqlite(async (storage) => {
    let next = 0;
    const write = async () => {
      for (let row = next++; row < rows; row = next++) {
        const result = await storage.commit(tenant, [{ insert: 'functions', row: functionRow(row) }]);
        if (!result.done) throw new Error(`row ${row} was refused`);
      }
    };
    delay.enable();
    const start = performance.now();
    await Promise.all(Array.from({ length: writers }, write));
    rate = rows / ((performance.now() - start) / 1_000);
    delay.disable();
  });
  return { rate, stall: { p99: delay.percentile(99) / 1e6, longest: delay.max / 1e6 } };
}

const alone = await measure(1);
const figures: Figure[] = [];
console.log('writers   rows/s   against one commit per row   stall p99 / longest');
for (const writers of [1, 2, 8, 32, 128, 512]) {
  const { rate, stall } = writers === 1 ? alone : await measure(writers);
  const ratio = `${(rate / alone.rate).toFixed(1)}x`;
  console.log(
    `${String(writers).padStart(7)}  ${rate.toFixed(0).padStart(7)}   ${ratio.padEnd(26)}   ` +
      `${stall.p99.toFixed(1)} / ${stall.longest.toFixed(1)} ms`,
  );
  const what = `rows per second, ${writers} ${writers === 1 ? 'writer, each on disk before it is acknowledged' : 'writers'}`;
  const note = writers === 1 ? {} : { note: `${(rate / alone.rate).toFixed(1)} times one writer` };
  if ([1, 32, 512].includes(writers)) figures.push({ what, value: Math.round(rate), unit: 'rows/s', ...note });
}
scorecard.record(figures);
