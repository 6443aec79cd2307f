// Runs what must work within Bun and within workerd (the runtime of Cloudflare Workers): the API in a host of Bun, and
// the client in both. Their programs come from npm without install scripts, some 260 MB, so they are in no lock file:
// here they are installed into a separate folder. If that is not possible, this is reported, and nothing fails.
//
//     npm run test:runtimes [-- <folder>]
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const bunVersion = '1.4.5';
const workerdVersion = '1.20261117.1';
const folder = process.argv[2] ?? join(tmpdir(), `patchbay-runtimes-${bunVersion}-${workerdVersion}`);
const { platform, arch } = process;
const system = platform === 'win32' ? 'windows' : platform;
const suffix = platform === 'win32' ? '.exe' : '';
const bun = `@oven/bun-${system}-${arch === 'arm64' ? 'aarch64' : 'x64'}`;
const workerd = `@cloudflare/workerd-${system}-${arch === 'arm64' ? 'arm64' : '64'}`;

function install(name, version) {
  const program = join(folder, 'node_modules', name, 'bin', `${name.includes('bun') ? 'bun' : 'workerd'}${suffix}`);
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  if (!existsSync(join(folder, 'package.json'))) writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', `${name}@${version}`];
  const { status } = spawnSync('npm', args, {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: platform === 'win32',
  });
  if (status === 0 && existsSync(program)) return program;
  console.warn(`SKIPPED: ${name}: npm cannot install it`);
  return undefined;
}

const programs = {
  PATCHBAY_TEST_BUN: install(bun, bunVersion),
  PATCHBAY_TEST_WORKERD: install(workerd, workerdVersion),
};
const found = Object.fromEntries(Object.entries(programs).filter(([, program]) => program !== undefined));
if (Object.keys(found).length > 0) {
  const vitest = join(import.meta.dirname, '..', 'node_modules', 'vitest', 'vitest.mjs');
  const files = ['examples/embed-fetch', 'packages/client/src/platforms.test.ts'];
  const env = { ...process.env, ...found };
  process.exitCode = spawnSync(process.execPath, [vitest, 'run', ...files], { stdio: 'inherit', env }).status ?? 1;
}
