// A function with an npm package reports its progress, and then runs as its schedule has it run every night.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { inspect, promisify } from 'node:util';
import { createClient } from '@patchbay/client';

// In a project with @patchbay/server, `npx patchbay` runs this file.
const patchbay = fileURLToPath(new URL('../../../packages/server/src/main.ts', import.meta.url));
const root = await mkdtemp(join(tmpdir(), 'patchbay-stock-report-'));
const apiKey = 'k'.repeat(40);
const { PATH, NODE_COMPILE_CACHE, NODE_OPTIONS } = process.env;
const env = { PATH, NODE_COMPILE_CACHE, NODE_OPTIONS, HOME: root, PATCHBAY_API_KEY: apiKey, PATCHBAY_URL: '' };

/** Run the command in the project, and show its output. */
async function run(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=source', patchbay, ...args], {
    cwd: root,
    env,
  });
  console.log(`$ patchbay ${args.join(' ')}`);
  for (const line of stdout.trim().split('\n')) console.log(`  ${line}`);
  return stdout;
}

// The project: a folder with functions, and the packages that `npm install` has put there.
await cp(new URL('../functions', import.meta.url), join(root, 'functions'), { recursive: true });
await symlink(fileURLToPath(new URL('../node_modules', import.meta.url)), join(root, 'node_modules'), 'junction');

const server = spawn(process.execPath, ['--conditions=source', patchbay], {
  cwd: root,
  env: { ...env, PORT: '0', PATCHBAY_DATA: join(root, 'data'), PATCHBAY_BOOTSTRAP_KEY: apiKey },
  stdio: ['ignore', 'pipe', 'ignore'],
});
const stopped = once(server, 'exit');
try {
  for await (const line of createInterface({ input: server.stdout })) {
    env.PATCHBAY_URL = (JSON.parse(line) as { readonly url?: string }).url ?? '';
    if (env.PATCHBAY_URL !== '') break;
  }
  await run('functions', 'push');
  await run('functions', 'audit');

  const client = createClient({ apiKey, baseUrl: env.PATCHBAY_URL });
  const inventory = await readFile(new URL('../inventory.yaml', import.meta.url), 'utf8');
  let shown = '';
  for await (const part of client.ai['checkStock'].stream({ inventory })) {
    const text = inspect(part);
    // The last part is the output, complete and validated: here it is what was yielded last.
    if (text !== shown) console.log(text);
    shown = text;
  }

  // The run of half past two, now.
  const queued = await run('schedules', 'run', 'checkStock', 'nightly');
  const [execution = ''] = /execution_\w+/.exec(queued) ?? [];
  await run('functions', 'logs', execution);
  await run('schedules', 'history', 'checkStock', 'nightly');
} finally {
  server.kill('SIGTERM');
  await stopped;
  await rm(root, { recursive: true });
}
