import type { ChildProcess } from 'node:child_process';

/** An interrupted bench leaves no server behind, which would take CPU from the next one. */
export function endWithBench(child: ChildProcess): void {
  const end = () => child.kill('SIGKILL');
  const interrupt = () => process.exit(1);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  process.once('exit', end);
  for (const signal of signals) process.once(signal, interrupt);
  child.once('exit', () => {
    process.off('exit', end);
    for (const signal of signals) process.off(signal, interrupt);
  });
}
