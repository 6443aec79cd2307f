import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { startUpstream, type Upstream, upstreamReplies } from '@patchbay/testing';
import { adminKey, startServerProcess, temporaryData } from '../src/driver/server-process.ts';
import { openDeadEnd } from './dead-end.ts';

/** The only word of the file `note.txt` in the folder that a client works in. */
export const word = 'amaryllis';

interface ClientOptions {
  /** Of npm, with its version. */
  readonly package: string;
  readonly command: string;
  /** Of its guide, whose first block of code is what people type. */
  readonly guide: string;
  /** Its heading on the page about tools for agents. */
  readonly heading: string;
}

/** One run of a client. */
interface Run {
  readonly script: string;
  readonly args: readonly string[];
  /** In its home folder, by their paths. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

export interface TerminalClient {
  readonly openai: Upstream;
  readonly anthropic: Upstream;
  readonly google: Upstream;
  /** The block of code of the guide, for the server. */
  readonly typed: string;
  /** The block of code of the page about tools for agents, for the server. */
  readonly typedForTools: string;
  /** @returns The answer of the client; where it fails, everything that it says. */
  ask(run: Run): Promise<string>;
  /** Print whether an output is the expected one. */
  readonly expectOutput: (what: string, output: string, expected: string) => void;
  /** Other hosts that the client wanted to reach. */
  hosts(): readonly string[];
  /** Stop everything, and set the exit code. */
  end(): Promise<void>;
}

/**
 * Install a client of the terminal from npm into a temporary folder, and start a server on 127.0.0.1 whose vendors are
 * played. The client has an empty home folder and no way to any other network.
 */
export async function startTerminalClient(options: ClientOptions): Promise<TerminalClient> {
  const given = process.argv[2];
  const folder = given ?? (await mkdtemp(join(tmpdir(), `patchbay-${options.command}-`)));
  const commands = join(folder, 'node_modules', '.bin');
  if (!existsSync(join(commands, options.command))) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true }');
    execFileSync('npm', ['install', '--no-audit', '--no-fund', options.package], { cwd: folder, stdio: 'inherit' });
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
  const typedIn = (page: string, heading = ''): string => {
    const text = readFileSync(new URL(`../../../docs/guide/${page}.md`, import.meta.url), 'utf8');
    const [, typed = ''] = /```\w+\n([\s\S]*?)\n```/.exec(text.slice(text.indexOf(heading))) ?? [];
    return typed.replaceAll('http://127.0.0.1:4810', server.url);
  };
  await saveShout(server.url);

  let failures = 0;
  const expectOutput: TerminalClient['expectOutput'] = (what, output, expected) => {
    const isRight = output === expected;
    if (!isRight) failures += 1;
    console.log(
      `${isRight ? 'ok    ' : 'FAILED'}  ${what}: ${isRight ? output : JSON.stringify(output.slice(0, 1_000))}`,
    );
  };

  return {
    openai,
    anthropic,
    google,
    typed: typedIn(`clients/${options.guide}`),
    typedForTools: typedIn('mcp', `### ${options.heading}`),
    expectOutput,
    hosts: () => deadEnd.hosts(),

    async ask({ script, args, files = {}, env = {} }) {
      const home = await mkdtemp(join(tmpdir(), 'patchbay-home-'));
      const work = join(home, 'work');
      mkdirSync(work);
      for (const [name, content] of Object.entries({ ...files, 'work/note.txt': `${word}\n` })) {
        mkdirSync(join(home, name, '..'), { recursive: true });
        writeFileSync(join(home, name), content);
      }
      const child = spawn('bash', ['-c', script, options.command, ...args], {
        cwd: work,
        env: {
          PATH: [commands, process.env['PATH']].join(delimiter),
          HOME: home,
          TMPDIR: home,
          PATCHBAY_API_KEY: adminKey,
          HTTP_PROXY: deadEnd.url,
          HTTPS_PROXY: deadEnd.url,
          NO_PROXY: '127.0.0.1',
          ...env,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const output = { answer: '', notes: '' };
      child.stdout.on('data', (chunk: Buffer) => (output.answer += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (output.notes += chunk.toString()));
      const [exitCode] = (await once(child, 'close')) as [number | null];
      rmSync(home, { recursive: true, force: true });
      return exitCode === 0 ? output.answer.trim() : `${output.answer}${output.notes} (exit code ${exitCode})`;
    },

    async end() {
      const { code } = await server.end('SIGTERM');
      const errors = server.log.filter(({ level }) => level === 'error');
      const lines = errors.map((each) => JSON.stringify(each)).join('\n');
      expectOutput('errors in the log of the server', lines || 'none', 'none');
      await Promise.all([openai.stop(), anthropic.stop(), google.stop(), deadEnd.close(), data.remove()]);
      if (given === undefined) rmSync(folder, { recursive: true, force: true });
      process.exitCode = failures === 0 && code === 0 ? 0 : 1;
    },
  };
}

/** Save a function, which is the tool `shout` of an agent. */
async function saveShout(url: string): Promise<void> {
  const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
  const code = 'export default ({ text }) => ({ text: text.toUpperCase() })';
  const response = await fetch(`${url}/functions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Shout', description: 'In capitals', input: text, output: text, code }),
  });
  if (!response.ok) throw new Error(await response.text());
}

/** Has the tool `shout` called with the word, until its result is shown to the model. */
export function scriptShout(upstream: Upstream): void {
  upstream.script((exchange) => {
    const isCalled = exchange.request.body.includes(word.toUpperCase());
    const calling = { toolCalls: [{ name: 'mcp__patchbay__shout', arguments: { text: word } }] };
    return upstreamReplies.healthy(isCalled ? { text: `It is ${word.toUpperCase()}.` } : calling)(exchange);
  });
}
