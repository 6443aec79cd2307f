import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canary, searchProcess } from '@patchbay/canaries';
import { patchbayFile } from './patchbay-file.ts';

/** The `patchbay` command as a separate process. */
export interface ServerProcess {
  readonly child: ChildProcess;
  readonly output: { stdout: string; stderr: string };
  /** Resolves to the URL once it listens; rejects with what it said where it ends before. */
  listening(): Promise<string>;
  ended(): Promise<number | null>;
}

export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'patchbay-'));
}

export function runServer(
  cwd: string,
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
  file: string = patchbayFile,
): ServerProcess {
  const child = spawn(process.execPath, ['--conditions=source', file, ...args], {
    cwd,
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      HOME: cwd,
      PORT: '0',
      // Models of this machine are no part of a test.
      PATCHBAY_DETECT: 'false',
      AWS_SECRET_ACCESS_KEY: canary('environment'),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  searchProcess(child, cwd);
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()));
  const closed = once(child, 'close');
  return {
    child,
    output,
    async listening() {
      const url = () => /listens on (\S+)\n/.exec(output.stderr)?.[1];
      while (url() === undefined) {
        await Promise.race([once(child.stderr, 'data'), closed]);
        const isGone = child.exitCode !== null || child.signalCode !== null;
        if (isGone && url() === undefined) throw new Error(output.stderr);
      }
      return url() ?? '';
    },
    async ended() {
      const [code] = (await closed) as [number | null];
      return code;
    },
  };
}
