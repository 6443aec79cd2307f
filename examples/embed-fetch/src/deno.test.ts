import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { contractResults } from './fixtures/contract-results.ts';

/** The program within npm's package, as nothing has run its install script. */
function denoPath(): string {
  const platform = process.platform === 'linux' ? `linux-${process.arch}-glibc` : `${process.platform}-${process.arch}`;
  const fromDeno = createRequire(createRequire(import.meta.url).resolve('deno/package.json'));
  const folder = dirname(fromDeno.resolve(`@deno/${platform}/package.json`));
  return join(folder, process.platform === 'win32' ? 'deno.exe' : 'deno');
}

it('the API is served within Deno, on a socket of Deno', async () => {
  const data = await mkdtemp(join(tmpdir(), 'patchbay-deno-'));
  try {
    const program = fileURLToPath(new URL('./fixtures/run-contract.ts', import.meta.url));
    const run = ['run', '--conditions=source', '--no-check', '--allow-all', '--unstable-no-legacy-abort', program];
    const env = { PATH: process.env['PATH'], HOME: data, DENO_DIR: data, DENO_NO_UPDATE_CHECK: '1' };
    const cwd = fileURLToPath(new URL('..', import.meta.url));
    const { stdout, stderr } = await promisify(execFile)(denoPath(), run, { cwd, env });
    const tests = contractResults(stdout);
    expect(tests.filter(({ failure }) => failure !== undefined)).toEqual([]);
    expect(tests.at(-1)?.name).toMatch(/^host > a stop ends/);
    expect(tests.length).toBeGreaterThan(20);
    expect(stderr).toBe('');
  } finally {
    await rm(data, { recursive: true });
  }
}, 60_000);
