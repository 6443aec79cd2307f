import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { execa } from 'execa';
import { type Command, denoEnvironment } from './deno-command.ts';

/** How long the programs around a process may take to see that it is gone. */
const WRAPPER_MS = 100;

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
  /** SIGKILL to everything that belongs to it: code can catch every other signal. */
  kill(): void;
}

export interface StartOptions {
  /** The command is a program that starts the process as its child, waits for it, and then ends too. */
  readonly isWrapped?: boolean;
}

/** Start a process in a group of its own, with nothing of the host's environment. */
export function startProcess(command: Command, { isWrapped = false }: StartOptions = {}): ChildProcess {
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
      const { pid } = child;
      // The id of a process that was waited for may belong to another one by now.
      if (!alive || pid === undefined) return;
      if (process.platform === 'win32') {
        child.kill('SIGKILL');
        return;
      }
      const killGroup = (): void => {
        if (alive) send(-pid);
      };
      // From the inside out, so that each is waited for by the one that started it. With the outermost first, the
      // others would be left to the system's first process, and that one reaps nobody in many a container. Worse: a
      // process that has left the group, and has not yet asked to die with its parent, would live on.
      const inner = isWrapped ? childrenOf(pid) : [];
      for (const each of inner) send(each);
      if (inner.length === 0) killGroup();
      else setTimeout(killGroup, WRAPPER_MS).unref();
    },
  };
}

function send(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone since.
  }
}

function childrenOf(pid: number): readonly number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  } catch {
    return [];
  }
}
