// The steps of a pipeline for functions in git, and the conflict when one was changed on the server.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

// In a project with @patchbay/server, `npx patchbay` runs this file.
const patchbay = fileURLToPath(new URL('../../../packages/server/src/main.ts', import.meta.url));
const root = await mkdtemp(join(tmpdir(), 'patchbay-functions-as-files-'));
const key = 'k'.repeat(40);
const checkout = async (name: string) => {
  const folder = join(root, name);
  await cp(new URL('../functions', import.meta.url), join(folder, 'functions'), { recursive: true });
  return folder;
};
const { PATH, NODE_COMPILE_CACHE, NODE_OPTIONS } = process.env;
const env = { PATH, NODE_COMPILE_CACHE, NODE_OPTIONS, HOME: root, PATCHBAY_API_KEY: key, PATCHBAY_URL: '' };

/** Run the command as a pipeline would, and show the first lines of its output. */
async function run(folder: string, ...args: string[]): Promise<void> {
  const child = spawn(process.execPath, ['--conditions=source', patchbay, 'functions', ...args], { cwd: folder, env });
  const exited = once(child, 'exit');
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data: Buffer) => output.push(data.toString()));
  }
  const [code] = (await exited) as [number];
  // A busy machine makes the command say what it waits for.
  const said = output.join('').trim().split('\n');
  const lines = said.filter((line) => !line.includes('waiting for '));
  console.log(`$ patchbay functions ${args.join(' ')}`);
  for (const line of lines.slice(0, 3)) console.log(`  ${line}`);
  if (code !== 0) console.log(`  exit code ${code}`);
}

const server = spawn(process.execPath, ['--conditions=source', patchbay], {
  cwd: root,
  env: { ...env, PORT: '0', PATCHBAY_DATA: join(root, 'data'), PATCHBAY_BOOTSTRAP_KEY: key },
  stdio: ['ignore', 'pipe', 'ignore'],
});
const stopped = once(server, 'exit');
try {
  for await (const line of createInterface({ input: server.stdout })) {
    env.PATCHBAY_URL = (JSON.parse(line) as { readonly url?: string }).url ?? '';
    if (env.PATCHBAY_URL !== '') break;
  }
  const [mine, theirs] = [await checkout('mine'), await checkout('theirs')];
  await run(mine, 'test');
  await run(mine, 'push');
  await run(mine, 'diff');

  // Another developer changes the function, and pushes first.
  await run(theirs, 'pull');
  await appendFile(join(theirs, 'functions/summarizeText/code.ts'), '// A change of theirs.\n');
  await run(theirs, 'push');
  await appendFile(join(mine, 'functions/summarizeText/code.ts'), '// A change of mine.\n');
  await run(mine, 'push');
  await run(mine, 'pull', '--force');
  const code = await readFile(join(mine, 'functions/summarizeText/code.ts'), 'utf8');
  console.log(code.trim().split('\n').at(-1));
} finally {
  server.kill('SIGTERM');
  await stopped;
  await rm(root, { recursive: true });
}
