import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Figure, ScorecardRecord } from './scorecard-record.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Scorecard {
  /** Replaces the record of the run with these figures, if the command line has `--record`. */
  record(figures: readonly Figure[]): void;
}

/**
 * The scorecard of a bench or fault script. To be opened first: it takes `--record` out of the arguments, and looks
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
  const [minute = 0] = loadavg();
  const load = minute > availableParallelism() / 4 ? 'busy' : 'quiet';
  return {
    record(figures) {
      if (at <= 0) return;
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

/** Three digits say all that a run can know; counts are counts. */
function rounded(figure: Figure): Figure {
  const { value } = figure;
  if (typeof value !== 'number' || Number.isInteger(value)) return figure;
  return { ...figure, value: Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3)) };
}

function describeMachine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `${availableParallelism()} cores of ${model}, ${gigabytes} GB, ${platform()} ${release().split('-')[0]}, Node ${process.versions.node}`;
}
