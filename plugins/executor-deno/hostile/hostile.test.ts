import { describe, expect, it } from 'vitest';
import { workingJails } from '../src/fixtures/working-jails.ts';
import { type JailLevel, jailLevels } from '../src/launch/jail.ts';
import { catalogue } from './catalogue.ts';
import { runsInCodeMode } from './code-mode.ts';
import { type Combination, combine, nameOf, reasonToSkip } from './combination.ts';
import type { HostileProgram } from './hostile-program.ts';
import { sampleOf } from './random.ts';
import { randomProgram } from './random-program.ts';
import { runPrograms } from './run-programs.ts';

// Of programs that take their time, and of those that have a twin, a part is run here; all of them by scripts/hostile.ts.
// The limits of memory and CPU are tested in `resource-limits.test.ts`.
const isFull = process.env['PATCHBAY_TEST_SIZE'] === 'full';
const MOST = isFull ? 120 : 16;
const REST = isFull ? 16 : 3;
const SAMPLE = isFull ? 12 : 3;
const IN_CODE_MODE = isFull ? MOST : 4;
const SEED = 20_261_121;

const harmless = { escapes: [], unexpected: [] };
const isRest = ({ category, name }: HostileProgram): boolean =>
  category === 'resources' || name.endsWith(' replaced while loading');
const others = catalogue.filter((program) => !isRest(program));
const sample = sampleOf(others, SAMPLE, SEED);

const working: ReadonlySet<JailLevel> = process.platform === 'linux' ? await workingJails() : new Set();

/** Every isolation in the best jail, every jail around the default isolation, and each wall without the others. */
const combinations: readonly Combination[] = [
  ...(['cold', 'reuse', 'primed'] as const).map((isolation) => combine(isolation, 'auto', 'both')),
  ...jailLevels.filter((jail) => jail !== 'bwrap').map((jail) => combine('fresh', jail, 'both')),
  combine('fresh', 'setpriv', 'permissions'),
  combine('fresh', 'bwrap', 'permissions'),
  combine('fresh', 'unshare', 'jail'),
  combine('fresh', 'bwrap', 'jail'),
];
const best = jailLevels.findLast((jail) => working.has(jail));
const isAvailable = (combination: Combination): boolean => {
  const { jail, isolation, wall } = combination;
  // More programs run in it already, by the name `auto`.
  if (!isFull && isolation === 'fresh' && jail === best && wall === 'both') return false;
  return (jail === 'auto' ? working.size > 0 : working.has(jail)) && reasonToSkip(combination) === undefined;
};

describe.runIf(process.platform === 'linux')('hostile programs', { timeout: 300_000 }, () => {
  it('hostile programs have distinct names', () => {
    const names = catalogue.map(({ category, name }) => `${category}: ${name}`);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(catalogue.map(({ code, input }) => code + JSON.stringify(input))).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(400);
  });

  it('hostile programs do no harm', async () => {
    const programs = [...sampleOf(others, MOST, SEED), ...sampleOf(catalogue.filter(isRest), REST, SEED)];
    const report = await runPrograms(programs, { combination: combine('fresh', 'auto', 'both'), groupSize: 16 });
    expect(report).toEqual({ ...harmless, programs: programs.length });
  });

  // A skipped test is a visible line: what works differs from machine to machine.
  for (const combination of combinations) {
    it.runIf(isAvailable(combination))(`hostile programs do no harm: ${nameOf(combination)}`, async () => {
      expect(await runPrograms(sample, { combination, groupSize: 16 })).toEqual({ ...harmless, programs: SAMPLE });
    });
  }

  it('hostile programs do no harm in code mode', async () => {
    const programs = sampleOf(others.filter(runsInCodeMode), IN_CODE_MODE, SEED);
    const combination = combine('fresh', 'auto', 'both', 'program');
    const report = await runPrograms(programs, { combination, groupSize: 16 });
    expect(report).toEqual({ ...harmless, programs: programs.length });
  });

  it('random programs do no harm', async () => {
    const programs = Array.from({ length: SAMPLE }, (_, index) => randomProgram(SEED + index));
    const report = await runPrograms(programs, { combination: combine('fresh', 'auto', 'both') });
    expect(report).toEqual({ ...harmless, programs: SAMPLE });
  });
});
