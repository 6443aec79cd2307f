import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const serverMain = fileOf('../../../packages/server/src/main.ts');

it('shows that the router prefers the cheap model once scores show that it is as good', async () => {
  const data = await mkdtemp(join(tmpdir(), 'patchbay-example-'));
  const key = 'a-bootstrap-key-of-more-than-32-characters';
  const node = {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    NODE_OPTIONS: process.env['PATCHBAY_TEST_NODE_OPTIONS'],
  };
  const args = ['--conditions=source', serverMain, 'serve', '--config', fileOf('../patchbay.config.yaml')];
  const server = spawn(process.execPath, args, {
    cwd: data,
    env: { ...node, PORT: '0', PATCHBAY_DATA: data, PATCHBAY_BOOTSTRAP_KEY: key },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    let url = '';
    for await (const line of createInterface({ input: server.stdout })) {
      const entry = JSON.parse(line) as { message: string; url?: string };
      url = entry.url ?? '';
      if (entry.message === 'listening') break;
    }
    const env = { ...node, PATCHBAY_URL: url, PATCHBAY_DATA: data };
    const run = async (...command: string[]) => (await promisify(execFile)(process.execPath, command, { env })).stdout;
    // As `npm run example` does, which makes a key in the storage of the config.
    const printed = await run(fileOf('../../../scripts/example.mjs'), 'learned-routing');
    expect(printed.trim().split('\n')).toHaveLength(3);

    const cli = async (...command: string[]) => {
      const text = await run('--conditions=source', serverMain, 'router', ...command, '--json', '--api-key', key);
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, never>);
    };
    const [small, large] = await cli('explain', 'triageTicket');
    expect(small).toMatchObject({ id: 'small/extractive', learned: { role: 'champion', high: 1 } });
    expect(large).toMatchObject({ id: 'large/extractive', learned: { role: expect.not.stringContaining('champion') } });
    const [replayed] = await cli('replay', '--policy', 'learned', '--function', 'triageTicket');
    expect(replayed).toMatchObject({ score: { doublyRobust: { mean: expect.closeTo(1, 1) } } });
    // No call could have gone there, so there is nothing to estimate from.
    await expect(cli('replay', '--policy', 'small/hash-embed-512')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no estimate: small/hash-embed-512 would call models in 100 % of the calls'),
    });
    await expect(cli('replay', '--policy', 'nonsense')).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('policies: weighted, learned, best; or a model: large/extractive, large/'),
    });
  } finally {
    const exited = once(server, 'exit');
    server.kill('SIGTERM');
    await exited;
    await rm(data, { recursive: true });
  }
});
