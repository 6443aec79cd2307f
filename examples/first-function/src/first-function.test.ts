import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const serverMain = fileURLToPath(new URL('../../../packages/server/src/main.ts', import.meta.url));
const example = fileURLToPath(new URL('./first-function.ts', import.meta.url));

it('prints the life of a function', async () => {
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
    expect(stdout.replace(/function_\w+/, 'function_…')).toBe(
      [
        'created    function_…',
        'listed     Summarize Text {"total":1,"limit":5,"offset":0}',
        'executed   completed {"points":["Patchbay stores functions.","It runs them in a jail."]}',
        'replaced   true',
        'executed   completed {"points":["Patchbay stores…","It runs…"]}',
        'deleted    true',
        '',
      ].join('\n'),
    );
  } finally {
    const exited = once(server, 'exit');
    server.kill('SIGTERM');
    await exited;
    await rm(data, { recursive: true });
  }
});
