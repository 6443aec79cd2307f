/**
 * Stop a process, or let it go on. A stopped process takes no CPU, whatever its code has left behind: no event, timer,
 * finalizer or thread of it runs. It can be killed like any other.
 *
 * @returns false where the process is gone, and on platforms that cannot stop one.
 */
export function suspendProcess(pid: number): boolean {
  return send(pid, 'SIGSTOP');
}

export function resumeProcess(pid: number): void {
  send(pid, 'SIGCONT');
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
