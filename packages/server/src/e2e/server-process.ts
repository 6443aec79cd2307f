import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));

/** Accepted as an admin key by the servers of tests. */
export const adminKey = 'a-bootstrap-key-of-more-than-32-characters';

export interface ServerProcess {
  readonly url: string;
  readonly data: string;
  readonly process: ChildProcess;
  /** End it with a signal, and wait until it is gone. */
  end(signal: NodeJS.Signals): Promise<{ readonly code: number | null }>;
}

/** A folder for the data of one test; remove it with `rm`. */
export async function temporaryData(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'patchbay-e2e-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Start the reference server as an operator does, as a process of its own with its built-in config. */
export async function startServerProcess(data: string, env: NodeJS.ProcessEnv = {}): Promise<ServerProcess> {
  const child = spawn(process.execPath, ['--conditions=source', main], {
    cwd: data,
    env: { PATH: process.env['PATH'], PORT: '0', PATCHBAY_DATA: data, PATCHBAY_BOOTSTRAP_KEY: adminKey, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const exited = once(child, 'exit');
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const entry = JSON.parse(line) as { message: string; url?: string };
      if (entry.message === 'listening' && entry.url) resolve(entry.url);
    });
    exited.then(([code]) => reject(new Error(`the server ended with ${code}: ${errors}`)), reject);
  });
  return {
    url,
    data,
    process: child,
    async end(signal) {
      child.kill(signal);
      const [code] = (await exited) as [number | null];
      return { code };
    },
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** Ask a server with the admin key. A string is sent as it is, anything else as JSON. */
export async function ask(
  server: Pick<ServerProcess, 'url'>,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(server.url + path, {
    method,
    headers: {
      authorization: `Bearer ${adminKey}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
}
