import { readFileSync } from 'node:fs';
import { PatchbayError } from '@patchbay/core/plugin';
import type { ExecutorConfig } from '../config.ts';
import { askProgram } from '../launch/ask-program.ts';
import type { Launcher } from '../launch/launch-helper.ts';
import { innermostProcess } from '../system-process.ts';
import { openSandbox } from './sandbox.ts';

export type ResourceOptions = Pick<ExecutorConfig, 'memoryMb' | 'offHeapMb' | 'cpuSeconds'>;

/** Memory of an idle process, before it runs anything. */
export interface IdleMemory {
  /** Bytes that count for RLIMIT_DATA: 500 MB and more, most of it never touched. */
  readonly dataBytes: number;
  readonly residentBytes: number;
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
export async function measureIdle(launcher: Launcher, signal: AbortSignal): Promise<IdleMemory | undefined> {
  const sandbox = await openSandbox(launcher, signal);
  const onAbort = (): void => sandbox.kill();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await sandbox.started;
    if (sandbox.conversation.isReady) return readMemory(sandbox.process.pid);
    const cause = { ...(await sandbox.gone), stderr: sandbox.streams.errorTail() };
    throw new PatchbayError('plugin_start_failed', 'Deno starts, but ends before it can take a function', { cause });
  } finally {
    signal.removeEventListener('abort', onAbort);
    sandbox.kill();
    await sandbox.gone;
  }
}

function readMemory(pid: number | undefined): IdleMemory | undefined {
  if (process.platform !== 'linux' || pid === undefined) return undefined;
  const status = readFileSync(`/proc/${innermostProcess(pid)}/status`, 'latin1');
  const bytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'mu').exec(status)?.[1]) * 1024;
  const idle = { dataBytes: bytes('VmData'), residentBytes: bytes('VmRSS') };
  return Number.isFinite(idle.dataBytes + idle.residentBytes) ? idle : undefined;
}

/** Resident bytes above which a run is ended, should the limit of the kernel not have held. */
export function residentLimit({ memoryMb, offHeapMb }: ResourceOptions, idle: IdleMemory): number {
  return idle.residentBytes + (memoryMb + offHeapMb) * MEGABYTE;
}
