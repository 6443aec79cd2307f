// `npm run check`, after `tsc -b`: what a change must pass besides tests. Lint, types and documentation do not need one another,
// and two of them take one core each. Each prints its output once it has ended.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const cwd = fileURLToPath(new URL('..', import.meta.url));
const source = 'node --conditions=source';
const lanes = [
  ['oxlint --type-aware --deny-warnings', 'biome check .'],
  [
    `${source} scripts/check-docs.ts`,
    'tsc -p tsconfig.scripts.json --checkers 1',
    'tsc -p bench --checkers 1',
    `${source} scripts/check-packages.ts`,
  ],
];

/** Whether the command has found nothing. */
async function passes(command) {
  // The arguments are those above: nothing in them is for a shell to expand.
  const child = spawn(command, { cwd, shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk));
  const code = await new Promise((resolve) => child.once('close', resolve));
  process.stdout.write(`$ ${command}\n${Buffer.concat(said).toString()}`);
  return code === 0;
}

async function passesAll(commands) {
  let all = true;
  for (const command of commands) all = (await passes(command)) && all;
  return all;
}

const results = await Promise.all(lanes.map(passesAll));
process.exitCode = results.every(Boolean) ? 0 : 1;
