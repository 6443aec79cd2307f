import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { expect, it } from 'vitest';
import { canReturn, prioritise } from './priority.ts';

it.runIf(process.platform === 'linux')(
  'lets a process go after others, and before them again where it may',
  async () => {
    const child = spawn('sleep', ['100'], { detached: true });
    const { pid = 0 } = child;
    const sessions = `/proc/${pid}/autogroup`;
    const nice = (): readonly unknown[] => [
      getPriority(pid),
      existsSync(sessions) ? Number(/-?\d+$/u.exec(readFileSync(sessions, 'latin1').trim())?.[0]) : getPriority(pid),
    ];
    prioritise(pid, 'long');
    expect(nice()).toEqual([Math.min(getPriority() + 15, 19), 15]);
    prioritise(pid, 'short');
    expect(nice()).toEqual(canReturn ? [getPriority(), 0] : [expect.any(Number), expect.any(Number)]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    prioritise(pid, 'long');
  },
);
