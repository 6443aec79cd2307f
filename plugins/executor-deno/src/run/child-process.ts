import type { Readable } from 'node:stream';
import { execa } from 'execa';
import { type Command, denoEnvironment } from './deno-command.ts';

/** How a process ended. */
export interface Exit {
  readonly code?: number;
  readonly signal?: string;
  /** Set where the process could not be started. */
  readonly spawnError?: Error;
}

export interface ChildProcess {
  /** Undefined where it could not be started. */
  readonly pid: number | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Settles once the process is gone and its output is read to the end. Never rejects. */
  readonly ended: Promise<Exit>;
  /** SIGKILL to the whole process group: code can catch every other signal. */
  kill(): void;
}

/** Start a process in a group of its own, with nothing of the host's environment. */
export function startProcess(command: Command): ChildProcess {
  const child = execa(command.file, command.arguments, {
    ...(process.platform === 'win32' ? {} : { cwd: '/' }),
    env: denoEnvironment,
    extendEnv: false,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    buffer: false,
    reject: false,
    // The group is what is killed; on Windows the option would open a console window instead.
    detached: process.platform !== 'win32',
  });
  let alive = child.pid !== undefined;
  child.nodeChildProcess.once('exit', () => {
    alive = false;
  });
  const ended = child.then((result): Exit => {
    alive = false;
    if (child.pid === undefined) return { spawnError: new Error('cannot start the process', { cause: result }) };
    return {
      ...(result.exitCode === undefined ? {} : { code: result.exitCode }),
      ...(result.signal === undefined ? {} : { signal: result.signal }),
    };
  });
  return {
    pid: child.pid,
    stdout: child.stdout,
    stderr: child.stderr,
    ended,
    kill() {
      // The id of a process that was waited for may belong to another one by now.
      if (!alive || child.pid === undefined) return;
      if (process.platform === 'win32') child.kill('SIGKILL');
      else process.kill(-child.pid, 'SIGKILL');
    },
  };
}
