import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Stop a process and its children, or let them continue. The parent first: it could spawn more of them meanwhile. */
export function holdProcesses(parent: number, held: boolean): void {
  const signal = held ? 'SIGSTOP' : 'SIGCONT';
  process.kill(parent, signal);
  send(signal, children(parent));
}

/** Kill a process and its children. The parent is stopped first: it could spawn more meanwhile, or clean up after one. */
export function killProcesses(parent: number): void {
  process.kill(parent, 'SIGSTOP');
  send('SIGKILL', [...children(parent), parent]);
}

function send(signal: NodeJS.Signals, processes: readonly number[]): void {
  for (const id of processes) {
    try {
      process.kill(id, signal);
    } catch (error) {
      // A process that has ended since cannot receive signals.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}

function children(parent: number): readonly number[] {
  if (process.platform === 'linux') {
    const list = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim();
    return list === '' ? [] : list.split(' ').map(Number);
  }
  return execFileSync('ps', ['-A', '-o', 'pid=', '-o', 'ppid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([pid, owner]) => (pid !== undefined && owner === parent ? [pid] : []));
}
