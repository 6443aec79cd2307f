import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../fixtures/run-cli.ts';

// In the shells themselves, as far as this machine has them.

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'patchbay-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const has = (shell: string) => spawnSync(shell, ['-c', 'exit 0']).status === 0;
const scriptOf = async (shell: string) => {
  const { code, stdout, stderr } = await runCli({ cwd: folder }, 'completion', shell);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const file = join(folder, shell);
  writeFileSync(file, stdout);
  return file;
};

const cases: readonly (readonly [line: string, words: readonly string[]])[] = [
  ['patchbay fun', ['functions']],
  ['patchbay functions pu', ['push', 'pull']],
  ['patchbay functions push --d', ['--dir', '--dry-run']],
  ['patchbay dev --no', ['--no-test']],
  ['patchbay usage --group-by p', ['provider']],
  ['patchbay webhooks deliveries --state ', ['waiting', 'delivered', 'failed']],
  ['patchbay completion z', ['zsh']],
  ['patchbay keys create --sc', ['--scope']],
];

describe.skipIf(!has('bash'))('bash', () => {
  it.each(cases)('completes %j', async (line, words) => {
    const file = await scriptOf('bash');
    const [, ...typed] = line.split(' ');
    const quoted = ['patchbay', ...typed].map((word) => `'${word}'`).join(' ');
    // What bash does when the key is pressed: it fills in these, and calls what `complete` was told.
    const script = `source '${file}'
[[ $(complete -p patchbay) == *'-F _patchbay patchbay' ]] || exit 9
COMP_WORDS=(${quoted}) COMP_CWORD=${typed.length}
_patchbay
printf '%s\\n' "\${COMPREPLY[@]}"`;
    const output = execFileSync('bash', ['--norc', '-uc', script], { encoding: 'utf8' });
    expect(output.trim().split('\n').toSorted()).toEqual([...words].toSorted());
  });

  it('completes files where one is asked for', async () => {
    const file = await scriptOf('bash');
    const script = `cd '${folder}' && source '${file}'
COMP_WORDS=(patchbay serve --config ba) COMP_CWORD=3
_patchbay
echo "\${COMPREPLY[@]}"`;
    expect(execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8' })).toBe('bash\n');
  });
});

describe.skipIf(!has('zsh'))('zsh', () => {
  it.each(cases)('completes %j', async (line, words) => {
    const file = await scriptOf('zsh');
    const [, ...typed] = line.split(' ');
    const quoted = ['patchbay', ...typed].map((word) => `'${word}'`).join(' ');
    // The functions that completion ends in print what they are given, as far as it fits.
    const script = `compdef() { :; }
_describe() { shift $(($# - 1)); for each in "\${(@P)1}"; do print -r -- "\${each%%:*}"; done; }
compadd() { shift; print -rl -- "$@"; }
_files() { :; }
source '${file}'
words=(${quoted}) CURRENT=${typed.length + 1} PREFIX='${typed.at(-1) ?? ''}'
_patchbay`;
    const output = execFileSync('zsh', ['-fc', script], { encoding: 'utf8' });
    const fitting = output.split('\n').filter((word) => word !== '' && word.startsWith(typed.at(-1) ?? ''));
    expect(fitting.toSorted()).toEqual([...words].toSorted());
  });
});

describe.skipIf(!has('fish'))('fish', () => {
  it.each(cases)('completes %j', async (line, words) => {
    const file = await scriptOf('fish');
    const output = execFileSync('fish', ['--no-config', '-c', `source '${file}'; complete -C '${line}'`], {
      encoding: 'utf8',
    });
    const found = output.split('\n').flatMap((each) => each.split('\t')[0] || []);
    expect(found.toSorted()).toEqual([...words].toSorted());
  });
});

it('knows no other shell', async () => {
  const { code, stderr } = await runCli({ cwd: folder }, 'completion', 'tcsh');
  expect([code, stderr]).toEqual([2, expect.stringContaining('Allowed choices are bash, zsh, fish.')]);
});
