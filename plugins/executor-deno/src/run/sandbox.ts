import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { PatchbayError } from '@patchbay/core/plugin';
import type { ExecutorConfig } from '../config.ts';
import { askProgram } from '../launch/ask-program.ts';
import type { ChildProcess, Exit, Launcher } from '../launch/launch-helper.ts';
import {
  innermostProcess,
  type Priority,
  type ProcessUsage,
  prioritise,
  readUsage,
  sendSignal,
} from '../system-process.ts';
import { Conversation } from './conversation.ts';
import type { UsageLimits } from './execution.ts';
import { collectOutput, type OutputStreams } from './output-streams.ts';

/** A process that runs the bootstrap, and the private connection to it. It serves one run at a time. */
export interface Sandbox {
  readonly process: ChildProcess;
  readonly conversation: Conversation;
  readonly streams: OutputStreams;
  /** Settles when it can take code, or is gone. */
  readonly started: Promise<void>;
  /** Settles when it has left nothing behind: no process, and no socket. Never rejects. */
  readonly gone: Promise<Exit>;
  /**
   * The same for a run, which may be one of thousands: what waits for a promise waits until it settles.
   *
   * @returns Ends the wait.
   */
  whenGone(listener: (exit: Exit) => void): () => void;
  /** Read its usage so far; undefined if the platform does not report it. */
  usage(): ProcessUsage | undefined;
  /** The last result of `usage`. */
  readonly lastUsage: ProcessUsage | undefined;
  readonly priority: Priority;
  /** Raise or lower its priority. */
  prioritise(priority: Priority): void;
  /**
   * Stop it until `resume`. A process that holds the code of a function waits for its next execution like this: code can
   * forge the event that says nothing is pending, and has many ways to be called without one.
   *
   * @returns false where that cannot be done: then the process must not wait.
   */
  suspend(): boolean;
  resume(): void;
  /** End it, however far it got. */
  kill(): void;
}

/**
 * Start a process, without waiting until it can take code.
 *
 * @throws The reason of the signal, when it aborts before there is a process.
 */
export async function openSandbox(launcher: Launcher, signal: AbortSignal): Promise<Sandbox> {
  const meeting = await launcher.openSocket();
  try {
    signal.throwIfAborted();
    const launching = launcher.launch(meeting);
    const connecting = new Promise<Socket>((resolve) => meeting.accept(resolve));
    const child = await launching;
    let innermost: number | undefined;
    const innermostOf = (pid: number): number => {
      if (!conversation.isReady) return innermost ?? innermostProcess(pid);
      innermost ??= innermostProcess(pid);
      return innermost;
    };
    let priority: Priority = 'short';
    const moveTo = (next: Priority): void => {
      if (child.pid === undefined || next === priority) return;
      priority = next;
      prioritise(child.pid, next, innermostOf(child.pid));
    };
    // A process that sends something before it has received anything is not one of ours.
    const conversation: Conversation = new Conversation(() => kill());
    const kill = (): void => {
      child.kill();
      // A process takes some time to free its memory.
      moveTo('short');
      // If a process escaped the signal while it entered the jail, there is nothing left for it to do.
      conversation.close();
      meeting.refuse();
    };
    if (signal.aborted) kill();
    const streams = collectOutput(child, kill);
    let connection: Socket | undefined;
    void connecting.then((socket) => {
      connection = socket;
      meeting.refuse();
      conversation.attach(socket);
    });
    const listeners = new Set<(exit: Exit) => void>();
    let goneExit: Exit | undefined;
    const gone = (async () => {
      const exit = await child.ended;
      // The socket of an exited process may still contain a response, or unread input, which ends in an error.
      if (connection?.closed === false) await new Promise((resolve) => connection?.once('close', resolve));
      await meeting.close();
      goneExit = exit;
      for (const listener of listeners) listener(exit);
      return exit;
    })();
    const started = Promise.race([conversation.ready, gone.then(() => undefined)]);
    let lastUsage: ProcessUsage | undefined;
    return {
      process: child,
      conversation,
      streams,
      started,
      gone,
      kill,
      whenGone(listener) {
        if (goneExit === undefined) listeners.add(listener);
        else listener(goneExit);
        return () => listeners.delete(listener);
      },
      get priority() {
        return priority;
      },
      prioritise: moveTo,
      suspend: () => child.pid !== undefined && conversation.isReady && sendSignal(innermostOf(child.pid), 'SIGSTOP'),
      resume() {
        if (child.pid !== undefined && conversation.isReady) sendSignal(innermostOf(child.pid), 'SIGCONT');
      },
      usage() {
        if (child.pid === undefined || !conversation.isReady) return undefined;
        lastUsage = readUsage(innermostOf(child.pid));
        return lastUsage;
      },
      get lastUsage() {
        return lastUsage;
      },
    };
  } catch (error) {
    await meeting.close();
    throw error;
  }
}

/** Ids of the processes that could be started. */
export function processIdsOf(sandboxes: Iterable<Sandbox>): readonly number[] {
  return [...sandboxes].flatMap(({ process: { pid } }) => pid ?? []);
}

export type ResourceOptions = Pick<ExecutorConfig, 'memoryMb' | 'offHeapMb' | 'cpuSeconds'>;

/** Memory of an idle process, before it runs anything. */
export interface IdleMemory {
  /** Bytes that count for RLIMIT_DATA: 500 MB and more, most of it never touched. */
  readonly dataBytes: number;
  readonly residentBytes: number;
  /** Whether the host may change the limits of processes that are running. */
  readonly canChange: boolean;
}

const MEGABYTE = 1024 * 1024;

/**
 * A command prefix that permanently limits the process: no core dumps, 64 open files, no file output,
 * CPU, and private memory once it is known what an idle process has. The limit of the address space is of no use: Deno
 * reserves more than any machine has.
 */
export function limitCommand(
  { memoryMb, offHeapMb, cpuSeconds }: ResourceOptions,
  idle?: IdleMemory,
): readonly string[] {
  // Soft and hard are the same: code can catch the signal that comes between the two.
  const limits = ['--core=0', '--nofile=64', '--fsize=0', `--cpu=${cpuSeconds}`];
  if (idle !== undefined) limits.push(`--data=${idle.dataBytes + (memoryMb + offHeapMb) * MEGABYTE}`);
  return ['prlimit', ...limits, '--'];
}

/** Whether the system has a working `prlimit` (util-linux). */
export async function canLimit(limits: readonly string[], signal: AbortSignal): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const { failed } = await askProgram([...limits, 'true'], { signal });
  return !failed;
}

/**
 * Start one process as for executions, and measure its usage.
 *
 * @throws PatchbayError `plugin_start_failed` when it does not get as far as taking code.
 */
export async function measureIdle(
  launcher: Launcher,
  uid: number | undefined,
  signal: AbortSignal,
): Promise<IdleMemory | undefined> {
  const sandbox = await openSandbox(launcher, signal);
  const onAbort = (): void => sandbox.kill();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await sandbox.started;
    if (sandbox.conversation.isReady) return await readMemory(sandbox.process.pid, uid);
    const cause = { ...(await sandbox.gone), stderr: sandbox.streams.errorTail() };
    throw new PatchbayError('plugin_start_failed', 'Deno starts, but ends before it can take a function', { cause });
  } finally {
    signal.removeEventListener('abort', onAbort);
    sandbox.kill();
    await sandbox.gone;
  }
}

async function readMemory(pid: number | undefined, uid: number | undefined): Promise<IdleMemory | undefined> {
  if (process.platform !== 'linux' || pid === undefined) return undefined;
  const canChange = (await limitData(pid, uid, 'unlimited')) === undefined;
  const status = readFileSync(`/proc/${innermostProcess(pid)}/status`, 'latin1');
  const bytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'mu').exec(status)?.[1]) * 1024;
  const idle = { dataBytes: bytes('VmData'), residentBytes: bytes('VmRSS'), canChange };
  return Number.isFinite(idle.dataBytes + idle.residentBytes) ? idle : undefined;
}

/**
 * Change the soft limit of the private memory of a process that is running. The kernel lets a process of the same user do so.
 *
 * @returns The error where it does not work.
 */
async function limitData(
  pid: number,
  uid: number | undefined,
  bytes: number | 'unlimited',
): Promise<Error | undefined> {
  const user = uid === undefined ? [] : ['setpriv', '--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups', '--'];
  const command = [...user, 'prlimit', `--pid=${innermostProcess(pid)}`, `--data=${bytes}:`];
  return (await askProgram(command, { timeout: 5_000 })).cause;
}

/** The limits of single runs. */
export class RunLimits {
  readonly #most: number;
  readonly #cpuSeconds: number;
  readonly #idle: IdleMemory;
  readonly #uid: number | undefined;
  /** Megabytes that processes have, other than those that they were started with. */
  readonly #changed = new WeakMap<Sandbox, number>();

  /** @param uid User of the processes, where it is not the server's. */
  constructor({ memoryMb, offHeapMb, cpuSeconds }: ResourceOptions, idle: IdleMemory, uid: number | undefined) {
    this.#most = memoryMb + offHeapMb;
    this.#cpuSeconds = cpuSeconds;
    this.#idle = idle;
    this.#uid = uid;
  }

  /**
   * Set the memory limit of a process, which may have waited for any run, to that of the next one. The soft limit
   * suffices: a program cannot raise it, but the host can for another run.
   *
   * @param memoryMb Default, and at most: those that every process has.
   * @returns The usage at which the host ends the run, should the kernel's limit not hold.
   * @throws Error where the kernel does not accept it.
   */
  async apply(sandbox: Sandbox, memoryMb = this.#most): Promise<UsageLimits> {
    const { pid } = sandbox.process;
    const megabytes = Math.min(memoryMb, this.#most);
    const residentBytes = this.#idle.residentBytes + megabytes * MEGABYTE;
    if (this.#idle.canChange && pid !== undefined && megabytes !== (this.#changed.get(sandbox) ?? this.#most)) {
      await sandbox.started;
      const failure = await limitData(pid, this.#uid, this.#idle.dataBytes + megabytes * MEGABYTE);
      if (failure !== undefined && sandbox.conversation.isReady) throw failure;
      this.#changed.set(sandbox, megabytes);
    }
    return { residentBytes, cpuSeconds: this.#cpuSeconds };
  }
}
