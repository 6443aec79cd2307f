/**
 * Walk the page about containers with Docker: build the image, run it, check it, stop it.
 *
 *     npm run check:container
 *
 * If Docker is not running, this is reported, and nothing fails.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { codeBlocks } from './docs-blocks/code-blocks.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const name = `patchbay-check-${process.pid}`;
const port = 14_810;
const MINUTES = 20;

const page = readFileSync(`${root}docs/operate/container.md`, 'utf8');
const blocks = codeBlocks('docs/operate/container.md', page).filter(({ language }) => language === 'sh');

/** With separate names and a separate port, so that nothing that runs here is touched. */
const own = (code: string): string =>
  code
    .replaceAll('--name patchbay', `--name ${name}`)
    .replaceAll('--volume patchbay:', `--volume ${name}:`)
    .replaceAll('127.0.0.1:4810', `127.0.0.1:${port}`)
    .replaceAll(/docker (logs|exec) patchbay/g, `docker $1 ${name}`)
    .replaceAll('--tag patchbay', `--tag ${name}`)
    .replaceAll(/ patchbay(?= config|$)/gm, ` ${name}`)
    .replaceAll('$PWD/patchbay.config.yaml', `${root}packages/server/default.yaml`)
    .replaceAll('curl --fail', 'curl --fail --retry 20 --retry-all-errors --retry-delay 1 --silent');

const shell = (code: string) =>
  spawnSync('bash', ['-euc', code], { cwd: root, encoding: 'utf8', timeout: MINUTES * 60_000 });

function walk(): void {
  for (const { code, place } of blocks) {
    const { status, stdout, stderr } = shell(own(code));
    if (status !== 0) throw new Error(`${place} ended with ${status}:\n${stdout.slice(-2_000)}${stderr.slice(-4_000)}`);
    console.log(`${place}: works`);
  }
  const { stdout } = shell(`docker stop --time 40 ${name} && docker inspect --format '{{.State.ExitCode}}' ${name}`);
  if (!stdout.trim().endsWith('\n0')) throw new Error(`the container did not stop with 0: ${stdout}`);
}

if (spawnSync('docker', ['info'], { stdio: 'ignore' }).status !== 0) {
  console.warn('SKIPPED: Docker is not running here');
} else {
  try {
    walk();
  } finally {
    shell(`docker rm --force ${name}; docker volume rm ${name}; docker rmi ${name}`);
  }
}
