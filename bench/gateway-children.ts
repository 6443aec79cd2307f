import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { endWithBench } from './end-with-bench.ts';

/** A process that listens. */
export interface Child {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/**
 * Start a file of this repository, and wait until it says where it listens.
 *
 * @param file Relative to this folder.
 */
export async function startChild(
  file: string,
  {
    args = [],
    env = {},
    nodeArgs = [],
  }: {
    readonly args?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    readonly nodeArgs?: readonly string[];
  } = {},
): Promise<Child> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-bench-'));
  const log = await open(join(folder, 'output.log'), 'w');
  // Compiled code imports compiled code.
  const conditions = file.includes('/dist/') ? [] : ['--conditions=source'];
  const child = spawn(process.execPath, [...conditions, ...nodeArgs, path, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', log.fd, 'pipe'],
  });
  endWithBench(child);
  await log.close();
  const stderr = child.stderr as Readable;
  let text = '';
  let url: string | undefined;
  while (url === undefined) {
    const [piece] = (await Promise.race([once(stderr, 'data'), once(child, 'exit')])) as [Buffer | number | null];
    if (child.exitCode !== null) throw new Error(`${file} ended: ${text}`);
    text += String(piece);
    [, url] = /listens on (\S+)\n/.exec(text) ?? [];
  }
  stderr.resume();
  return {
    url,
    pid: child.pid ?? 0,
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
