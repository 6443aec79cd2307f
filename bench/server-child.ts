import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endWithBench } from './end-with-bench.ts';

/** Accepted by the servers that are measured. */
export const key = 'a-bootstrap-key-of-more-than-32-characters';

/** A server as a separate process. */
export interface ServerChild {
  readonly url: string;
  readonly pid: number;
  /** Milliseconds from its spawn until it reported that it listens. */
  readonly listeningMs: number;
  stop(): Promise<void>;
}

/**
 * Patchbay as it was built; its log goes to a file.
 *
 * @param config Text of a config file. Default: the built-in config.
 * @param main The program. Default: that of this checkout.
 */
export async function startPatchbay(
  config?: string,
  main = fileURLToPath(new URL('../packages/server/dist/main.js', import.meta.url)),
): Promise<ServerChild> {
  return await startChild([main], { PATCHBAY_BOOTSTRAP_KEY: key, PATCHBAY_LIMITS_OFF: 'true', PORT: '0' }, config);
}

/** A worker for the jobs of a server. @param config As that of the server, with secret and files named in full. */
export async function startWorker(config: string): Promise<ServerChild> {
  const main = fileURLToPath(new URL('../packages/server/dist/main.js', import.meta.url));
  return await startChild([main, 'worker', '--port', '0'], {}, config);
}

/** Koa and its router with nothing behind them. */
export async function startKoa(answers: string): Promise<ServerChild> {
  const file = fileURLToPath(new URL('./bare-koa.ts', import.meta.url));
  return await startChild([file, answers], {});
}

/** The receiver of webhooks. */
export async function startWebhookReceiver(): Promise<ServerChild> {
  return await startChild([fileURLToPath(new URL('./webhook-receiver.ts', import.meta.url))], {});
}

async function startChild(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  config?: string,
): Promise<ServerChild> {
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-bench-'));
  if (config !== undefined) await writeFile(join(folder, 'patchbay.config.yaml'), config);
  const log = await open(join(folder, 'server.log'), 'w');
  const start = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', log.fd, 'pipe'],
  });
  endWithBench(child);
  const url = await listeningUrl(child);
  const listeningMs = performance.now() - start;
  await log.close();
  return {
    url,
    pid: child.pid ?? 0,
    listeningMs,
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function listeningUrl({ stderr }: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of stderr ?? []) {
    text += String(chunk);
    const url = /(?:listens on |; )(http:\S+?)(?:\/readyz says|\n)/.exec(text)?.[1];
    if (url === undefined) continue;
    stderr?.resume();
    return url;
  }
  throw new Error(`the server ended: ${text}`);
}

/** CPU seconds that a process has used so far. Linux only; elsewhere 0. */
export function cpuSeconds(pid: number): number {
  const fields = procFile(pid, 'stat').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / 100;
}

/** The same in steps of nanoseconds, without threads that have ended. */
export function threadSeconds(pid: number): number {
  const nanoseconds = (thread: string) => Number(procFile(pid, `task/${thread}/schedstat`).split(' ')[0] ?? 0);
  return threadsOf(pid).reduce((sum, thread) => sum + nanoseconds(thread), 0) / 1e9;
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Bytes of memory that a process has. Linux only; elsewhere 0. */
export function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(procFile(pid, 'status'))?.[1] ?? 0) * 1_024;
}

function procFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}

/** Send a request with the key, and return the JSON; throws if the status is not a success. */
export async function ask(url: string, method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}
