/**
 * Run the same random operations on the storages in memory, SQLite and PostgreSQL, and compare every result:
 *
 *     node --conditions=source scripts/compare-storages.ts [--seed 1] [--size 10000]
 */
import { parseArgs } from 'node:util';
import { compareStorages } from '@patchbay/testing';
import { openStorages } from './open-storages.ts';
import { openScorecard } from './scorecard/open-scorecard.ts';

const scorecard = openScorecard('storages');

const { values } = parseArgs({ options: { seed: { type: 'string' }, size: { type: 'string', default: '10000' } } });
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const opened = await openStorages();
try {
  const { operations, commits, refusals, rows } = await compareStorages(opened.storages, {
    seed,
    operations: Number(values.size),
  });
  console.log(
    `seed ${seed}: ${operations} operations on ${Object.keys(opened.storages).join(', ')} agree: ` +
      `${commits} commits, ${refusals} of them refused, ${rows} rows read`,
  );
  // It throws at the first result that differs.
  scorecard.record([
    {
      what: 'the same random operations on memory, SQLite and PostgreSQL: answers that differ',
      value: 0,
      target: { exactly: 0 },
      note: `${commits} commits, ${refusals} of them refused; seed ${seed}`,
    },
    { what: 'the same: operations', value: operations, target: { least: 10_000 } },
  ]);
} finally {
  await opened.close();
}
