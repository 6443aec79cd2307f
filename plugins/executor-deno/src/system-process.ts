import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** CPU and memory of a process. */
export interface ProcessUsage {
  /** CPU time of all its threads, since it started. */
  readonly cpuSeconds: number;
  readonly residentBytes: number;
}

// The unit of /proc is the same on every Linux that Deno runs on.
const TICKS_PER_SECOND = 100;

/** Undefined where the process is gone, and outside of Linux. */
export function readUsage(pid: number): ProcessUsage | undefined {
  const seconds = cpuSeconds(pid);
  return seconds === undefined ? undefined : { cpuSeconds: seconds, residentBytes: residentBytes(pid) };
}

/** Undefined where the process is gone, and outside of Linux. */
export function cpuSeconds(pid: number): number | undefined {
  const fields = processFields(pid);
  return fields && (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Resident bytes of a process on Linux; 0 where it is gone, and elsewhere. */
export function residentBytes(pid: number): number {
  if (process.platform !== 'linux') return 0;
  try {
    const [, kibibytes = '0'] = /^VmRSS:\s+(\d+) kB$/mu.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return Number(kibibytes) * 1024;
  } catch {
    return 0;
  }
}

/** The usage of a process and of all below it, those that have ended included. Nothing outside of Linux. */
export function readTreeUsage(pid: number): ProcessUsage {
  const tree = processTree(pid);
  const ticks = tree.flatMap((each) => processFields(each)?.slice(11, 15).map(Number) ?? []);
  return { cpuSeconds: sum(ticks) / TICKS_PER_SECOND, residentBytes: sum(tree.map(residentBytes)) };
}

/** A process and all below it, each after the one that started it. On Linux; elsewhere the process alone. */
export function processTree(pid: number): readonly number[] {
  return [pid, ...childrenOf(pid).flatMap(processTree)];
}

/** The process that others only wrap: a child's only child, and so on. On Linux; elsewhere the process itself. */
export function innermostProcess(pid: number): number {
  for (let current = pid, depth = 0; ; depth++) {
    const [child, ...others] = childrenOf(current);
    if (child === undefined || others.length > 0 || depth === 8) return current;
    current = child;
  }
}

/** Processes that a process has started and not waited for yet. */
function childrenOf(pid: number): readonly number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  } catch {
    return [];
  }
}

/** Fields of `/proc/<pid>/stat` from the state on, which is the third. Undefined where the process is gone, and elsewhere. */
export function processFields(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // "pid (name) state ...": the name may hold anything, a parenthesis included.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/**
 * Send a signal to a process, or with a negative id to a group.
 *
 * `SIGSTOP` leaves it no CPU, whatever its code has left behind: no event, timer, finalizer or thread of it runs until
 * `SIGCONT`. It can be killed like any other.
 *
 * @returns false where the process is gone, and on platforms without that signal.
 */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** How long the programs around a process may take to notice that it is gone. */
const WRAPPER_MS = 100;

/** A process of ours that was not waited for yet, and that leads a group. */
export interface KillTarget {
  readonly pid: number;
  readonly isWrapped: boolean;
  /** Once it was waited for, its id may belong to another process. */
  readonly isAlive: () => boolean;
}

/**
 * SIGKILL to a process and whatever belongs to it: code can catch every other signal.
 *
 * From the inside out, so that each is waited for by the one that started it. With the outermost first, the others
 * would be left to the system's first process, which in many containers reaps none. Worse: a process that
 * has left the group, and has not yet asked to die with its parent, would live on.
 */
export function killProcess({ pid, isWrapped, isAlive }: KillTarget): void {
  if (!isAlive()) return;
  if (process.platform === 'win32') {
    sendSignal(pid, 'SIGKILL');
    return;
  }
  const killGroup = (): void => {
    if (isAlive()) sendSignal(-pid, 'SIGKILL');
  };
  const inner = isWrapped ? childrenOf(pid) : [];
  for (const each of inner) sendSignal(each, 'SIGKILL');
  if (inner.length === 0) killGroup();
  else setTimeout(killGroup, WRAPPER_MS).unref();
}

// A short run is in a hurry. One that computes for long is not: where others want its core too, it gets a tenth of it, and
// where these others are other tenants, next to nothing.
const nice = { short: 0, long: 10, last: 19 } as const;

/** How soon a process gets a core that others want too. */
export type Priority = keyof typeof nice;

/** Only root may raise a priority again. */
export const canReturn = process.platform === 'linux' && process.getuid?.() === 0;

/**
 * Raise or lower the priority of a process. On Linux only, where threads have their own priorities.
 *
 * @param leader Leads a separate session. Linux shares the cores between sessions before it does between the threads of
 * each: what `nice` does to threads alone would then change nothing outside of them.
 * @param member Whose threads it is about, where sessions do not count: in a control group of the CPU.
 */
export function prioritise(leader: number, priority: Priority, member = leader): void {
  if (process.platform !== 'linux') return;
  try {
    writeFileSync(`/proc/${leader}/autogroup`, `${nice[priority]}`);
  } catch {
    // Gone since, a kernel that knows no sessions, or one that lets only root ask so often.
  }
  // Relative to the server's own priority.
  const own = Math.min(getPriority() + nice[priority], constants.priority.PRIORITY_LOW);
  try {
    for (const thread of readdirSync(`/proc/${member}/task`)) setPriority(Number(thread), own);
  } catch {
    // Gone since, or not ours: it runs as another user, and the server may not decide for others.
  }
}

/**
 * Ctrl-C, a closed terminal and many supervisors signal all processes of a server at once. It is the server that decides
 * then: while it lets runs end, its helpers must be there. They end when it does.
 */
export function ignoreSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
