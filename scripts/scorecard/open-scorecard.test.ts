import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const root = new URL('../..', import.meta.url);

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'patchbay-scorecard-test-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A bench as one is written, at the place of one. */
function bench(value: number, ...given: readonly string[]): void {
  const figures = `[{ what: 'size ${value > 9 ? 'of two digits' : ''}', value: ${value} / 3, unit: 'MB', target: { most: 4 } }]`;
  const code = `const { openScorecard } = await import('./scripts/scorecard/open-scorecard.ts');
    const scorecard = openScorecard('sample');
    if (process.argv.includes('--record')) throw new Error('the flag is still there');
    scorecard.record(${figures});`;
  const env = { ...process.env, PATCHBAY_SCORECARDS: folder };
  execFileSync(
    process.execPath,
    ['--conditions=source', '--input-type=module', '-e', code, 'bench/sample.ts', ...given],
    {
      cwd: root,
      env,
    },
  );
}

const read = () => JSON.parse(readFileSync(join(folder, 'sample.json'), 'utf8')) as Record<string, unknown>;

it('no file is written without --record', () => {
  bench(10);
  expect(readdirSync(folder)).toEqual([]);
});

it('writes down what was found, by which command, when and where', () => {
  bench(10, '7', '--record');
  expect(read()).toMatchObject({
    name: 'sample',
    by: 'script',
    date: new Date().toISOString().slice(0, 10),
    machine: expect.stringContaining(`Node ${process.versions.node}`),
    figures: [{ what: 'size of two digits', value: 3.33, unit: 'MB', target: { most: 4 } }],
  });
});

it('a figure that is rounded does not meet a target that it missed', () => {
  bench(12.006, '--record');
  expect(read()).toMatchObject({ figures: [{ value: 12.006 / 3 }] });
});

it('replaces the record of an earlier run', () => {
  bench(10, '--record');
  bench(5, '--record');
  expect(read()['figures']).toEqual([{ what: 'size ', value: 1.67, unit: 'MB', target: { most: 4 } }]);
});

it('a figure that is no number is not recorded', () => {
  expect(() => bench(Number.NaN, '--record')).toThrow('not recorded: size  is NaN');
  expect(readdirSync(folder)).toEqual([]);
});
