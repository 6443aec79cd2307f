import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { canary, searchProcess } from '@patchbay/canaries';
import { copyMigratedDatabase } from './migrated-database.ts';
import { patchbayFile } from './patchbay-file.ts';
import { type LogEntry, ServerLog } from './server-log.ts';

/** Accepted as an admin key by the servers of tests. */
export const adminKey = canary('bootstrap-key');

/** Where the built-in config, and most others of tests, have their database. */
const usualDatabase = /file: "?(?:\.|\$\{PATCHBAY_DATA\})\/patchbay\.db/;

export interface ServerProcess {
  readonly url: string;
  readonly port: number;
  readonly data: string;
  readonly process: ChildProcess;
  /** Entries of its log so far. */
  readonly log: readonly LogEntry[];
  /** Its standard error so far. */
  readonly errors: () => string;
  /** The first entry with this message, or the one of that number, once it is there. */
  logged(message: string, number?: number): Promise<LogEntry>;
  /** The next entry that is logged. */
  entry(): Promise<LogEntry>;
  /** Settles once the process is gone. */
  readonly exited: Promise<{ readonly code: number | null }>;
  /** End it with a signal, and wait until it is gone. */
  end(signal: NodeJS.Signals): Promise<{ readonly code: number | null }>;
}

export interface StartOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly nodeArguments?: readonly string[];
  /** Arguments after `patchbay` on the command line. */
  readonly arguments?: readonly string[];
  /** The line of the log after which it is ready, with its URL. Default: `listening`. */
  readonly readyMessage?: string;
  /** Text of a config file. Default: the built-in config. */
  readonly config?: string;
}

export interface TemporaryData {
  readonly path: string;
  remove(): Promise<void>;
}

/** A folder for the data of one test. */
export async function temporaryData(): Promise<TemporaryData> {
  const path = await mkdtemp(join(tmpdir(), 'patchbay-e2e-'));
  // As the temporary folder of the system: sandboxes run as another user, and find their sockets below it.
  await chmod(path, 0o711);
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** The environment of a server with this folder. */
export function environmentOf(data: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    PORT: '0',
    // Models of this machine are no part of a test.
    PATCHBAY_DETECT: 'false',
    PATCHBAY_DATA: data,
    PATCHBAY_BOOTSTRAP_KEY: adminKey,
    // Never read, so it must stay secret.
    AWS_SECRET_ACCESS_KEY: canary('environment'),
    // These tests ask as fast as they can, with one key.
    PATCHBAY_LIMITS_OFF: 'true',
  };
}

/** Put into the folder of a server what it finds there at its start. */
export async function prepareData(data: string, config: string | undefined): Promise<void> {
  if (config !== undefined) await writeFile(join(data, 'patchbay.config.yaml'), config);
  if (config === undefined || usualDatabase.test(config)) await copyMigratedDatabase(data);
  const secretFile = join(data, 'secret');
  if (!existsSync(secretFile)) await writeFile(secretFile, canary('root-secret'), { mode: 0o600 });
}

/** Start the reference server as an operator does, as a separate process. Everything it writes is in `data`. */
export async function startServerProcess(data: string, options: StartOptions = {}): Promise<ServerProcess> {
  await prepareData(data, options.config);
  const child = spawn(
    process.execPath,
    ['--conditions=source', ...(options.nodeArguments ?? []), patchbayFile, ...(options.arguments ?? [])],
    {
      cwd: data,
      env: {
        // Of `vitest.config.ts`: what one process has compiled, the next one finds.
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        TMPDIR: data,
        ...environmentOf(data),
        ...options.env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  searchProcess(child, data);
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const exited = once(child, 'exit').then(([code]) => ({ code: code as number | null }));
  const log = new ServerLog(
    exited.then(({ code }) => {
      throw new Error(`the server ended with ${code}: ${errors}`);
    }),
  );
  createInterface({ input: child.stdout }).on('line', (line) => log.add(line));
  const url = String((await log.logged(options.readyMessage ?? 'listening'))['url']);
  return {
    url,
    port: Number(new URL(url).port),
    data,
    process: child,
    log: log.entries,
    errors: () => errors,
    logged: (message, number) => log.logged(message, number),
    entry: () => log.entry(),
    exited,
    async end(signal) {
      child.kill(signal);
      return await exited;
    },
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** Ask a server with the admin key. A string, and bytes, are sent as they are, anything else as JSON. */
export async function ask(
  server: Pick<ServerProcess, 'url'>,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  // Bytes are a body as well, but the type of all bodies is not among the globals of Node's types.
  const raw = typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(server.url + path, {
    method,
    headers: {
      authorization: `Bearer ${adminKey}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: raw ? (body as string) : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
}
