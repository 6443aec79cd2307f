import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, platform, release, totalmem } from 'node:os';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Figure, outcomeOf, type ScorecardRecord } from './scorecard-record.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Scorecard {
  /**
   * Replaces the record of the run with these figures, if the command line has `--record`.
   *
   * @throws Error for a figure that is no number, as after an argument that is none.
   */
  record(figures: readonly Figure[]): void;
}

/**
 * The scorecard of a bench or fault script. To be opened first: it takes `--record` out of the arguments, and checks
 * whether the machine is busy before the run makes it so.
 *
 * @example
 * ```ts
 * import { openScorecard } from './scripts/scorecard/open-scorecard.ts';
 *
 * const scorecard = openScorecard('idle');
 * scorecard.record([{ what: 'resident memory, idle', value: 101, unit: 'MiB', target: { most: 120 } }]);
 * ```
 */
export function openScorecard(name: string): Scorecard {
  const at = process.argv.indexOf('--record');
  if (at > 0) process.argv.splice(at, 1);
  const [, script = '', ...given] = process.argv;
  const command = ['node --conditions=source', relative(root, script), ...given].join(' ');
  const load = at > 0 && busyShare() > MOST_BUSY_SHARE ? 'busy' : 'quiet';
  return {
    record(figures) {
      if (at <= 0) return;
      const broken = figures.find(({ value }) => typeof value === 'number' && !Number.isFinite(value));
      if (broken) throw new Error(`not recorded: ${broken.what} is ${String(broken.value)}`);
      const folder = process.env['PATCHBAY_SCORECARDS'] ?? join(root, 'docs', 'scorecards');
      mkdirSync(folder, { recursive: true });
      const file = join(folder, `${name}.json`);
      const date = new Date().toISOString().slice(0, 10);
      const record: ScorecardRecord = {
        name,
        command,
        date,
        machine: describeMachine(),
        load,
        by: 'script',
        figures: figures.map(rounded),
      };
      writeFileSync(file, `${JSON.stringify(record, undefined, 2)}\n`);
      console.log(`recorded in ${basename(folder)}/${name}.json`);
    },
  };
}

/** Milliseconds for which the processors are watched. */
const WATCHED_MS = 1_000;

/** The busy share of the processors on a machine that does nothing else. */
const MOST_BUSY_SHARE = 0.1;

/** How busy the processors are now. The load average of a minute would still have the run before this one. */
function busyShare(): number {
  const before = processorTimes();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WATCHED_MS);
  const after = processorTimes();
  return 1 - (after.idle - before.idle) / (after.all - before.all);
}

function processorTimes(): { readonly idle: number; readonly all: number } {
  const times = cpus().map((processor) => processor.times);
  const idle = times.reduce((sum, each) => sum + each.idle, 0);
  return { idle, all: times.reduce((sum, each) => sum + each.user + each.nice + each.sys + each.irq + each.idle, 0) };
}

/** Three digits say all that a run can know; counts are counts. */
function rounded(figure: Figure): Figure {
  const { value } = figure;
  if (typeof value !== 'number' || Number.isInteger(value)) return figure;
  const short = { ...figure, value: Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3)) };
  // 1.051 is not at most 1.05.
  return outcomeOf(short) === outcomeOf(figure) ? short : figure;
}

function describeMachine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `${availableParallelism()} cores of ${model}, ${gigabytes} GB, ${platform()} ${release().split('-')[0]}, Node ${process.versions.node}`;
}
