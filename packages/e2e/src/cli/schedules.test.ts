import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCli } from '@patchbay/server/fixtures/run-cli';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../driver/run-server.ts';
import { adminKey } from '../driver/server-process.ts';
import { useServerHere } from '../driver/use-server-here.ts';

// Schedules by the command line and as files, against a real server.

const server = useServerHere();
const folder = newFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const cli = (...args: readonly string[]) =>
  runCli({ cwd: folder, env: { PATCHBAY_URL: server.running.url, PATCHBAY_API_KEY: adminKey } }, ...args);

const definition = `name: Shout
input:
  type: object
  properties:
    text:
      type: string
  required:
    - text
output:
  type: object
`;
const nightly = `nightly:
  cron: 0 3 * * *
  timezone: Europe/Berlin
  input:
    text: good night
`;
const file = join(folder, 'functions/shout/schedules.yaml');
const write = (schedules: string) => writeFileSync(file, schedules);

beforeAll(() => {
  mkdirSync(join(folder, 'functions/shout'), { recursive: true });
  writeFileSync(join(folder, 'functions/shout/function.yaml'), definition);
  writeFileSync(join(folder, 'functions/shout/code.ts'), 'export default ({ text }) => ({ text })\n');
});

describe('the schedules of a function', () => {
  it('are pushed from a file, and pulled into one', async () => {
    write(nightly);
    expect((await cli('functions', 'push')).stdout).toMatch(/^created {2}shout/);
    expect((await cli('functions', 'push')).stdout).toMatch(/^unchanged/);
    const [row] = (await cli('schedules', 'list', 'shout', '--json')).stdout.trim().split('\n');
    expect(JSON.parse(row ?? '')).toMatchObject({ name: 'nightly', timezone: 'Europe/Berlin', enabled: true });

    write(`${nightly}often:\n  every: 1h\n  overlap: queue\n  input: { text: again }\n`);
    expect((await cli('functions', 'diff')).stdout).toContain('+often:');
    expect((await cli('functions', 'push')).stdout).toMatch(/^updated/);
    expect((await cli('schedules', 'remove', 'shout', 'nightly', '--yes')).stdout).toBe('deleted  nightly\n');
    expect((await cli('functions', 'pull')).stdout).toMatch(/^updated/);
    expect(readFileSync(file, 'utf8')).toBe('often:\n  every: 1h\n  input:\n    text: again\n  overlap: queue\n');
  });

  it('are refused with the line of the file', async () => {
    write(`${nightly}often:\n  every: 1h\n  input: { text: 7 }\n`);
    const pushed = await cli('functions', 'push');
    expect(pushed.code).toBe(1);
    expect(pushed.stderr).toMatch(/shout\/schedules\.yaml:8:18 often\.input\.text /);
  });

  it('stay as they are if the folder has no file for them', async () => {
    rmSync(file);
    writeFileSync(join(folder, 'functions/shout/function.yaml'), `${definition}description: Repeats a text.\n`);
    expect((await cli('functions', 'push')).stdout).toMatch(/^updated/);
    expect((await cli('schedules', 'list', 'shout')).stdout).toMatch(/^nightly|^often/m);
  });

  it('are set, run, paused and resumed by name', async () => {
    const set = await cli(
      'schedules',
      'set',
      'shout',
      '--name',
      'weekly',
      '--cron',
      '0 9 * * MON',
      '--input',
      '{"text":"Monday"}',
    );
    expect(set.stdout).toMatch(/^weekly {2}0 9 \* \* MON \(UTC\) {2}skip {2}next \S+T09:00:00\.000Z\n$/);
    expect((await cli('schedules', 'next', 'shout', 'weekly')).stdout.trim().split('\n')).toHaveLength(10);
    expect((await cli('schedules', 'run', 'shout', 'weekly')).stdout).toMatch(/^queued {2}execution_/);
    expect((await cli('schedules', 'history', 'shout', 'weekly')).stdout).toMatch(/^execution_\S+ .+ by request\n$/);
    expect((await cli('schedules', 'pause', 'shout', 'weekly')).stdout).toMatch(/paused: requested\n$/);
    expect((await cli('schedules', 'resume', 'shout', 'weekly')).stdout).toMatch(/next /);
    const unknown = await cli('schedules', 'run', 'shout', 'monthly');
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('has no schedule "monthly"; it has')]);
  });
});
