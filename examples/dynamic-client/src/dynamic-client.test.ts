import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const serverMain = fileURLToPath(new URL('../../../packages/server/src/main.ts', import.meta.url));
const example = fileURLToPath(new URL('./dynamic-client.ts', import.meta.url));

const readme = fileURLToPath(new URL('../README.md', import.meta.url));

it('prints what its README shows', async () => {
  const data = await mkdtemp(join(tmpdir(), 'patchbay-example-'));
  const key = 'a-bootstrap-key-of-more-than-32-characters';
  const env = {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    NODE_OPTIONS: process.env['PATCHBAY_TEST_NODE_OPTIONS'],
    PORT: '0',
    PATCHBAY_DATA: data,
    PATCHBAY_BOOTSTRAP_KEY: key,
  };
  const server = spawn(process.execPath, ['--conditions=source', serverMain], {
    cwd: data,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    let url = '';
    for await (const line of createInterface({ input: server.stdout })) {
      const entry = JSON.parse(line) as { message: string; url?: string };
      url = entry.url ?? '';
      if (entry.message === 'listening') break;
    }
    const run = promisify(execFile)(process.execPath, [example], { env: { PATCHBAY_URL: url, PATCHBAY_API_KEY: key } });
    const { stdout } = await run;
    const [, printed] = /```text\n([^`]+)```/.exec(await readFile(readme, 'utf8')) ?? [];
    expect(stdout).toBe(printed);
  } finally {
    const exited = once(server, 'exit');
    server.kill('SIGTERM');
    await exited;
    await rm(data, { recursive: true });
  }
});
