// `npm start` and `npm test` on a machine without pnpm: npx brings the pinned one, which installs and then runs the script.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { packageManager } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const underPnpm = (process.env.npm_config_user_agent ?? '').startsWith('pnpm/');
const [command, prefix] = underPnpm ? ['pnpm', []] : ['npx', ['--prefer-offline', '--yes', packageManager]];
const child = spawn(command, [...prefix, 'run', ...process.argv.slice(2)], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.once('error', (error) => {
  console.error(`cannot run ${command}: ${error.message}`);
  process.exit(1);
});
child.once('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)));
