import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const serverMain = pathOf('../../../packages/server/src/main.ts');
const exampleScript = pathOf('../../../scripts/example.mjs');
let data: string;

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'patchbay-example-'));
});
afterEach(() => rm(data, { recursive: true }));

/** `npm run example -- quick-start`, without a key. */
async function runExample(url: string): Promise<string> {
  const env = {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    NODE_OPTIONS: process.env['PATCHBAY_TEST_NODE_OPTIONS'],
    PATCHBAY_URL: url,
    PATCHBAY_DATA: join(data, 'installation'),
  };
  const args = ['--conditions=source', exampleScript, 'quick-start'];
  return (await promisify(execFile)(process.execPath, args, { cwd: data, env })).stdout;
}

it('the example prints the output of the README, with a new key, on every run', async () => {
  const readme = await readFile(pathOf('../../../README.md'), 'utf8');
  expect(readme).toContain(`\`\`\`ts\n${await readFile(pathOf('./quick-start.ts'), 'utf8')}\`\`\`\n`);

  const env = {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    NODE_OPTIONS: process.env['PATCHBAY_TEST_NODE_OPTIONS'],
    PORT: '0',
    PATCHBAY_DATA: join(data, 'installation'),
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
    const printed = await runExample(url);
    expect(readme).toContain(`\`\`\`text\n${printed}\`\`\`\n`);
    expect(await runExample(url)).toBe(printed);
  } finally {
    const exited = once(server, 'exit');
    server.kill('SIGTERM');
    await exited;
  }
});

it('makes no key where no server answers, so that the first start still shows one', async () => {
  await expect(runExample('http://127.0.0.1:1')).rejects.toMatchObject({
    stderr: expect.stringContaining('No server answers at http://127.0.0.1:1'),
  });
  expect(existsSync(join(data, 'installation'))).toBe(false);
});
