// `npm test` and others on a machine without pnpm: npx brings the pinned one, which installs everything and runs the script.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../', import.meta.url);
const { packageManager } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
const underPnpm = (process.env.npm_config_user_agent ?? '').startsWith('pnpm/');
const [command, prefix] = underPnpm ? ['pnpm', []] : ['npx', ['--prefer-offline', '--yes', packageManager]];
const options = { stdio: 'inherit', cwd: fileURLToPath(root), shell: process.platform === 'win32' };

// After `npm start` only what the server needs is there, which pnpm considers complete.
const serverOnly = new URL('node_modules/.server-installed', root);
if (existsSync(serverOnly)) {
  const { status } = spawnSync(command, [...prefix, 'install', '--frozen-lockfile'], options);
  if (status !== 0) process.exit(status ?? 1);
  rmSync(serverOnly);
}

const child = spawn(command, [...prefix, 'run', ...process.argv.slice(2)], options);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.once('error', (error) => {
  console.error(`cannot run ${command}: ${error.message}`);
  process.exit(1);
});
child.once('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)));
