/**
 * Run the scorecard, one run after the other, and show which targets were met and which were missed:
 *
 *     npm run scorecard -- [--size small|full] [--only <text>] [--record] [--list]
 *
 * `small`, the default, takes some minutes: it says whether everything works, and nothing about speed. `full` takes
 * an hour or two, on a machine that should do nothing else. With `--record`, the figures of `full` go to `docs/scorecards`, and
 * `vitest run scripts/scorecard -u` writes the pages from them. Ends with 1 where a run fails.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { catalogue } from './scorecard/catalogue.ts';
import { readRecords } from './scorecard/read-records.ts';
import { outcomeOf } from './scorecard/scorecard-record.ts';
import { scorecardTable } from './scorecard/scorecard-table.ts';

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: 'small' },
    only: { type: 'string', default: '' },
    record: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
});
const { size, only, record, list } = values;
if (size !== 'small' && size !== 'full') throw new TypeError('--size is small or full');
if (record && size === 'small') throw new TypeError('only figures of --size full are worth recording');

const root = fileURLToPath(new URL('..', import.meta.url));
const runs = catalogue.filter(({ name, section }) => `${section} ${name}`.includes(only));
const temporary = mkdtempSync(join(tmpdir(), 'patchbay-scorecard-'));
const folder = record ? join(root, 'docs', 'scorecards') : temporary;
const failed: string[] = [];
const done: string[] = [];
for (const run of runs) {
  const command = run[size];
  if (list) {
    console.log(`${run.name}: ${command}`);
    continue;
  }
  console.log(`\n== ${run.name}: ${command}`);
  const child = spawn(process.execPath, ['--conditions=source', ...command.split(' '), '--record'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATCHBAY_SCORECARDS: folder },
  });
  // Nothing that it has started continues without it.
  const end = () => child.kill('SIGTERM');
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  const [code] = (await once(child, 'exit')) as [number | null];
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, end);
  done.push(run.name);
  if (code !== 0) failed.push(run.name);
  if (child.signalCode !== null) break;
}

const records = readRecords(folder, ({ name }) => done.includes(name));
const missed = records.flatMap(({ figures }) => figures).filter((figure) => outcomeOf(figure) === 'missed');
if (done.length > 0) {
  console.log(`\n${scorecardTable(records)}\n`);
  console.log(`${done.length} runs, ${failed.length} failed; ${missed.length} targets missed at this size`);
}
for (const name of failed) console.log(`FAILED ${name}`);
rmSync(temporary, { recursive: true });
process.exitCode = failed.length === 0 ? 0 : 1;
