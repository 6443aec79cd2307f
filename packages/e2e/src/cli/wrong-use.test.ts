import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCli } from '@patchbay/server/fixtures/run-cli';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patchbayFile } from '../driver/patchbay-file.ts';
import { newFolder } from '../driver/run-server.ts';

// Error messages for people, and for scripts.

const folder = newFolder();
beforeAll(() => {
  writeFileSync(join(folder, 'taken.json'), '');
  mkdirSync(join(folder, 'folder'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const cases: readonly (readonly [line: string, code: number, message: string])[] = [
  ['functons', 2, '(Did you mean functions?)'],
  ['functions lst', 2, '(Did you mean list?)'],
  ['functions list --jsn', 2, '(Did you mean --json?)'],
  ['serve extra', 2, 'too many arguments'],
  ['serve --port 99999', 2, 'It is a number from 0 to 65535.'],
  ['functions list --url nonsense', 2, '--url is "nonsense", but must be a URL such as http://127.0.0.1:4810'],
  ['functions list --url http://127.0.0.1:9', 1, 'hint: start one with "patchbay serve"'],
  ['connect netscape', 2, 'Allowed choices are openai, anthropic, ai-sdk, langchain, claude-code, codex.'],
  ['connect openai --url http://127.0.0.1:9', 1, 'hint: start one with "patchbay serve"'],
  ['functions push', 2, 'name the folder of the functions with --dir'],
  ['functions run ./nothing', 2, 'nothing/function.yaml does not exist'],
  ['functions run x --input {', 2, 'the input is not JSON'],
  ['import no.json', 2, 'no.json does not exist'],
  ['import folder', 2, 'is a folder'],
  ['export taken.json', 2, 'taken.json exists already: name another file'],
  ['keys revoke key_1', 2, 'Confirm with --yes'],
  ['keys list --tenant !', 2, 'It is 1 to 128 letters, digits or ._:@|-, and does not begin with patchbay:.'],
  ['plugin new cache x', 2, 'Allowed choices are provider, storage, executor, router, authenticator.'],
  ['plugin check ./no.ts', 4, './no.ts does not exist'],
  ['webhooks create https://example.com', 2, "required option '--event <kind>' not specified"],
];

describe('what is typed wrong', () => {
  it.each(cases)('patchbay %s', async (line, code, message) => {
    const run = await runCli({ cwd: folder }, ...line.split(' '));
    expect(run).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) });
    expect(run.stderr).not.toMatch(/\n\s+at /);
  });

  it.each(['functons --json', 'functions lst --json', 'functions list --url nonsense --json'])(
    'patchbay %s tells it in one line of JSON',
    async (line) => {
      const { stdout, stderr } = await runCli({ cwd: folder }, ...line.split(' '));
      expect(stdout).toBe('');
      expect(JSON.parse(stderr)).toMatchObject({ error: { detail: expect.any(String), exitCode: 2 } });
      expect(stderr.trim()).not.toContain('\n');
    },
  );
});

describe('a pipe', () => {
  it('whose reader is gone ends the command as it ends others, without a trace of the stack', async () => {
    const child = spawn(process.execPath, ['--conditions=source', patchbayFile, 'config', 'docs'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.destroy();
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const [code] = await once(child, 'close');
    expect([code, errors]).toEqual([141, '']);
  });

  it('a dump that is not complete has no name', async () => {
    expect((await runCli({ cwd: folder }, 'export', 'folder/no/such.json')).code).toBe(2);
    expect((await runCli({ cwd: folder }, 'export', 'dump.json')).code).toBe(0);
    expect(existsSync(join(folder, 'dump.json'))).toBe(true);
  });
});
