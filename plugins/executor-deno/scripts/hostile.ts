/**
 * Run the hostile programs, all of them or randomly combined ones, under every combination of isolation and jail
 * that works here, and print their outcomes:
 *
 *     node --conditions=source plugins/executor-deno/scripts/hostile.ts [--isolation all] [--jail all]
 *       [--wall both|permissions|jail | --allow-all] [--only <text>] [--random <count> [--seed <number>]] [--group <size>]
 *       [--code-mode]
 *
 * With --group, this many of the programs that are one expression share a process. With --code-mode, they run as agents
 * run programs: those that are one function.
 */
import { parseArgs } from 'node:util';
import { openScorecard } from '../../../scripts/scorecard/open-scorecard.ts';
import type { Figure } from '../../../scripts/scorecard/scorecard-record.ts';
import { catalogue } from '../hostile/catalogue.ts';
import { runsInCodeMode } from '../hostile/code-mode.ts';
import { type Combination, combine, nameOf, reasonToSkip } from '../hostile/combination.ts';
import { randomProgram } from '../hostile/random-program.ts';
import { runPrograms } from '../hostile/run-programs.ts';
import type { Wall } from '../hostile/walls.ts';
import { workingJails } from '../src/fixtures/working-jails.ts';
import { jailLevels } from '../src/launch/jail.ts';

const usage = `hostile.ts [--isolation all] [--jail all] [--wall both|permissions|jail | --allow-all]
  [--only <text>] [--random <count> [--seed <number>]] [--group <size>] [--code-mode]`;
if (process.argv.includes('--help')) {
  console.log(usage);
  process.exit();
}

const kinds = ['random', 'code-mode'].filter((kind) => process.argv.includes(`--${kind}`));
const scorecard = openScorecard(['hostile', ...kinds].join('-'));
const figures: Figure[] = [];

const isolations = ['cold', 'fresh', 'primed', 'reuse'] as const;
const walls = ['both', 'permissions', 'jail'] as const;
const { values } = parseArgs({
  options: {
    isolation: { type: 'string', default: 'fresh' },
    jail: { type: 'string', default: 'auto' },
    wall: { type: 'string', default: 'both' },
    'allow-all': { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    group: { type: 'string', default: '1' },
    'code-mode': { type: 'boolean', default: false },
    random: { type: 'string' },
    seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
  },
});

function choose<T extends string>(name: string, wanted: string, all: readonly T[]): readonly T[] {
  if (wanted === 'all') return all;
  const chosen = all.filter((each) => wanted.split(',').includes(each));
  if (chosen.length === 0) throw new TypeError(`--${name} is one of all, ${all.join(', ')}`);
  return chosen;
}

const working = await workingJails();
const jails: readonly Combination['jail'][] =
  values.jail === 'auto' ? ['auto'] : choose('jail', values.jail, jailLevels);
const wall: Wall = values['allow-all'] ? 'jail' : (choose('wall', values.wall, walls)[0] ?? 'both');
const seed = Number(values.seed);
const form = values['code-mode'] ? 'program' : 'function';
const chosen =
  values.random === undefined
    ? catalogue.filter(({ category, name }) => `${category}: ${name}`.includes(values.only))
    : Array.from({ length: Number(values.random) }, (_, index) => randomProgram(seed + index));
const programs = form === 'program' ? chosen.filter(runsInCodeMode) : chosen;
if (values.random !== undefined) console.log(`seeds ${seed} to ${seed + programs.length - 1}`);

const rows: object[] = [];
let isClean = true;
for (const isolation of choose('isolation', values.isolation, isolations)) {
  for (const jail of jails) {
    const combination = combine(isolation, jail, wall, form);
    const works = jail === 'auto' || working.has(jail);
    const reason = works ? reasonToSkip(combination) : 'it does not work here';
    if (reason !== undefined) {
      console.log(`${nameOf(combination)}: skipped, ${reason}`);
      continue;
    }
    const start = performance.now();
    const { escapes, unexpected } = await runPrograms(programs, { combination, groupSize: Number(values.group) });
    const seconds = Math.round((performance.now() - start) / 1000);
    for (const { program, what } of escapes) console.log(`ESCAPE ${program}\n  ${what}`);
    for (const { program, what } of unexpected) console.log(`UNEXPECTED ${program}\n  ${what.slice(0, 500)}`);
    isClean &&= escapes.length + unexpected.length === 0;
    const counts = { programs: programs.length, escapes: escapes.length, unexpected: unexpected.length, seconds };
    console.log(nameOf(combination), counts);
    rows.push({ isolation, jail, wall, form, ...counts });
    const title = `${form === 'program' ? 'in code mode: ' : ''}${values.random === undefined ? '' : 'put together by chance: '}`;
    figures.push({
      what: `${title}\`${isolation}\`, jail \`${jail}\`, walls \`${wall}\``,
      value: escapes.length,
      unit: 'escapes',
      target: { exactly: 0 },
      note: `${programs.length.toLocaleString('en-US')} programs, ${unexpected.length} unexpected, ${seconds} s`,
    });
  }
}
console.table(rows);
scorecard.record(figures);
process.exitCode = isClean ? 0 : 1;
