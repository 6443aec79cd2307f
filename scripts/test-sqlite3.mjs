// Runs the tests of store-sqlite that need the package sqlite3. It must be compiled, so it is in no lock file: here it
// is installed into a separate folder, without its install script, which would download, and built with the compiler
// and the Node headers that are there. If one of these is missing, this is reported, and nothing fails.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const version = '6.0.1';
const folder = process.argv[2] ?? join(tmpdir(), `patchbay-sqlite3-${version}`);
const modules = join(folder, 'node_modules');
const addon = join(modules, 'sqlite3', 'build', 'Release', 'node_sqlite3.node');
const prefixes = [dirname(dirname(process.execPath)), '/usr', '/usr/local'];
const headers = prefixes.find((prefix) => existsSync(join(prefix, 'include', 'node', 'node_api.h')));

function run(command, args, cwd) {
  return spawnSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
}

function install() {
  if (existsSync(addon)) return undefined;
  if (headers === undefined) return 'there are no headers of Node on this machine';
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  if (!run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', `sqlite3@${version}`], folder)) {
    return 'npm cannot install it';
  }
  const gyp = join(modules, 'node-gyp', 'bin', 'node-gyp.js');
  const build = [gyp, 'rebuild', '--loglevel=error', `--nodedir=${headers}`];
  return run(process.execPath, build, join(modules, 'sqlite3')) ? undefined : 'it cannot be compiled here';
}

const missing = install();
if (missing !== undefined) console.warn(`SKIPPED: the package sqlite3: ${missing}`);
else {
  const vitest = join(import.meta.dirname, '..', 'node_modules', 'vitest', 'vitest.mjs');
  const env = { ...process.env, NODE_PATH: modules };
  const { status } = spawnSync(process.execPath, [vitest, 'run', 'plugins/store-sqlite/src/sqlite3'], {
    stdio: 'inherit',
    env,
  });
  process.exitCode = status ?? 1;
}
