import { readFileSync } from 'node:fs';
import { PatchbayError } from '@patchbay/core/plugin';
import type { ExecutorConfig } from '../config.ts';
import { askProgram } from '../launch/ask-program.ts';
import type { Launcher } from '../launch/launch-helper.ts';
import { innermostProcess } from '../system-process.ts';
import type { UsageLimits } from './execution.ts';
import { openSandbox, type Sandbox } from './sandbox.ts';

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
