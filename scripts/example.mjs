// Runs examples/<name>/src/<name>.ts on the Node that the project brings: npm run example -- first-function
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Scopes of the temporary key of an example, which expires soon. */
const scopes = [
  'functions:read',
  'functions:write',
  'functions:execute',
  'gateway:invoke',
  'settings:read',
  'settings:write',
  'feedback:write',
];
const lifetimeMs = 10 * 60_000;

/**
 * A key of the server that `npm start` runs, with the config of the example if it has one; access to its storage and its secret is
 * enough to create one.
 */
async function makeKey(config) {
  const url = process.env.PATCHBAY_URL ?? 'http://127.0.0.1:4810';
  const answer = await fetch(`${url}/healthz`).catch(() => undefined);
  if (!answer?.ok) {
    // No key is created then either: the server creates its first one only if there is none.
    console.error(`No server answers at ${url}: start one with "npm start", or set PATCHBAY_URL and PATCHBAY_API_KEY.`);
    process.exit(1);
  }
  const main = fileURLToPath(new URL('../packages/server/src/main.ts', import.meta.url));
  const expires = new Date(Date.now() + lifetimeMs).toISOString();
  const options = ['--name', 'npm run example', '--expires', expires, ...scopes.flatMap((scope) => ['--scope', scope])];
  const args = ['--conditions=source', main, 'keys', 'create', ...options];
  if (existsSync(config)) args.push('--config', config);
  try {
    const key = execFileSync(process.execPath, args, { encoding: 'utf8', stdio: 'pipe' }).trim();
    console.error('No PATCHBAY_API_KEY is set: made a key for ten minutes.');
    return key;
  } catch (error) {
    process.stderr.write(error.stderr ?? '');
    console.error('No key can be made for this example: set PATCHBAY_API_KEY to one of the server.');
    process.exit(1);
  }
}

const examples = readdirSync(new URL('../examples', import.meta.url));
const name = process.argv[2];
if (!examples.includes(name)) {
  console.error(`usage: npm run example -- <${examples.join(' | ')}>`);
  process.exit(1);
}
const file = new URL(`../examples/${name}/src/${name}.ts`, import.meta.url);
const source = readFileSync(file, 'utf8');
if (/createClient\(\)|process\.env\['PATCHBAY_API_KEY'\]/.test(source))
  process.env.PATCHBAY_API_KEY ||= await makeKey(
    fileURLToPath(new URL(`../examples/${name}/patchbay.config.yaml`, import.meta.url)),
  );
// As if it had been started itself.
process.argv = [process.argv[0], fileURLToPath(file), ...process.argv.slice(3)];
await import(file.href);
