import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { describe, expect, it } from 'vitest';
import { canReturn, prioritise } from './system-process.ts';

/** Of the threads, and of the session; kernels without sessions have the first only. */
function niceOf(pid: number): readonly number[] {
  const sessions = `/proc/${pid}/autogroup`;
  if (!existsSync(sessions)) return [getPriority(pid), getPriority(pid)];
  return [getPriority(pid), Number(/-?\d+$/u.exec(readFileSync(sessions, 'latin1').trim())?.[0])];
}

describe.runIf(process.platform === 'linux')('prioritise', () => {
  it('a long process yields to others', async () => {
    const child = spawn('sleep', ['100'], { detached: true });
    const { pid = 0 } = child;
    prioritise(pid, 'long');
    expect(niceOf(pid)).toEqual([Math.min(getPriority() + 10, 19), 10]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    prioritise(pid, 'long');
  });

  it('a process beside those of other tenants goes last', async () => {
    const child = spawn('sleep', ['100'], { detached: true });
    const { pid = 0 } = child;
    prioritise(pid, 'last');
    expect(niceOf(pid)).toEqual([Math.min(getPriority() + 19, 19), 19]);
    child.kill('SIGKILL');
    await once(child, 'exit');
  });

  it.runIf(canReturn)('a process can get its priority back', async () => {
    const child = spawn('sleep', ['100'], { detached: true });
    const { pid = 0 } = child;
    prioritise(pid, 'long');
    prioritise(pid, 'short');
    expect(niceOf(pid)).toEqual([getPriority(), 0]);
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
});
