/**
 * Install Claude Code from npm into a temporary folder, and let it answer a prompt and use a tool, against a server on
 * 127.0.0.1 whose vendors are played, with an empty home folder and no way to any other network:
 *
 *     node --conditions=source packages/e2e/scripts/claude-code.ts [folder that it is or was installed into]
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startUpstream, type Upstream, upstreamReplies } from '@patchbay/testing';
import { adminKey, startServerProcess, temporaryData } from '../src/driver/server-process.ts';
import { openDeadEnd } from './dead-end.ts';

const claudeCode = '@anthropic-ai/claude-code@2.1.330';
const word = 'amaryllis';
const text = 'Hello from the upstream.';

const folder = process.argv[2] ?? (await mkdtemp(join(tmpdir(), 'patchbay-claude-code-')));
const commands = join(folder, 'node_modules', '.bin');
if (!existsSync(join(commands, 'claude'))) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', claudeCode], { cwd: folder, stdio: 'inherit' });
}

const [openai, anthropic, google] = await Promise.all([
  startUpstream({ dialect: 'openai' }),
  startUpstream({ dialect: 'anthropic' }),
  startUpstream({ dialect: 'google' }),
]);
const deadEnd = await openDeadEnd();
const data = await temporaryData();
const server = await startServerProcess(data.path, {
  env: {
    OPENAI_API_KEY: 'dummy',
    OPENAI_BASE_URL: openai.baseUrl,
    ANTHROPIC_API_KEY: 'dummy',
    ANTHROPIC_BASE_URL: anthropic.baseUrl,
    GOOGLE_API_KEY: 'dummy',
    GOOGLE_BASE_URL: google.baseUrl,
  },
});

// What the guide tells people to type.
const guide = readFileSync(
  fileURLToPath(new URL('../../../docs/guide/clients/claude-code.md', import.meta.url)),
  'utf8',
);
const [, typed = ''] = /```sh\n([\s\S]*?)\n```/.exec(guide) ?? [];
const script = `${typed.replace('http://127.0.0.1:4810', server.url)} "$@"`;

/** @returns The answer of Claude Code; where it fails, everything that it says. */
async function ask(prompt: string, ...args: readonly string[]): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'patchbay-home-'));
  const work = join(home, 'work');
  mkdirSync(work);
  writeFileSync(join(work, 'note.txt'), `${word}\n`);
  const child = spawn('bash', ['-c', script, 'claude', '-p', prompt, ...args], {
    cwd: work,
    env: {
      PATH: [commands, process.env['PATH']].join(delimiter),
      HOME: home,
      TMPDIR: home,
      PATCHBAY_API_KEY: adminKey,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      HTTP_PROXY: deadEnd.url,
      HTTPS_PROXY: deadEnd.url,
      NO_PROXY: '127.0.0.1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { answer: '', notes: '' };
  child.stdout.on('data', (chunk: Buffer) => (output.answer += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output.notes += chunk.toString()));
  const [exitCode] = (await once(child, 'close')) as [number | null];
  rmSync(home, { recursive: true, force: true });
  return exitCode === 0 ? output.answer.trim() : `${output.answer}${output.notes} (exit code ${exitCode})`;
}

/** Has the file read until its content is shown to the model. */
function readNote(upstream: Upstream): void {
  upstream.script((exchange) => {
    const { body } = exchange.request;
    const [path] = /\/[^"\\ ]*patchbay-home-[^"\\ /]*\/work/.exec(body) ?? [];
    const reading = { toolCalls: [{ name: 'Read', arguments: { file_path: `${path}/note.txt` } }] };
    return upstreamReplies.healthy(body.includes(word) ? { text: `It says ${word}.` } : reading)(exchange);
  });
}

let failures = 0;
const expectOutput = (what: string, output: string, expected: string): void => {
  const isRight = output === expected;
  if (!isRight) failures += 1;
  console.log(
    `${isRight ? 'ok    ' : 'FAILED'}  ${what}: ${isRight ? output : JSON.stringify(output.slice(0, 1_000))}`,
  );
};

for (const [model, upstream] of [
  ['anthropic/claude-opus-4-6', anthropic],
  ['openai/gpt-6-luna', openai],
  ['google/gemini-3.1-flash-lite', google],
] as const) {
  const choice = ['--model', model];
  upstream.script(upstreamReplies.healthy({ text }));
  expectOutput(`${model}, a prompt`, await ask('Say hello.', ...choice), text);
  readNote(upstream);
  const output = await ask('Which word is in note.txt?', '--allowedTools', 'Read', ...choice);
  expectOutput(`${model}, a tool`, output, `It says ${word}.`);
}
// The model that it asks for itself, by the name that it has at Anthropic.
anthropic.script(upstreamReplies.healthy({ text }));
expectOutput('its own default, a prompt', await ask('Say hello.'), text);
expectOutput('connections to other hosts', deadEnd.hosts().join(' ') || 'none', 'none');

const { code } = await server.end('SIGTERM');
const errors = server.log.filter(({ level }) => level === 'error');
expectOutput(
  'errors in the log of the server',
  errors.map((each) => JSON.stringify(each)).join('\n') || 'none',
  'none',
);
await Promise.all([openai.stop(), anthropic.stop(), google.stop(), deadEnd.close(), data.remove()]);
if (process.argv[2] === undefined) rmSync(folder, { recursive: true, force: true });
process.exitCode = failures === 0 && code === 0 ? 0 : 1;
