import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { readProcessIdentity } from './instance-lease.ts';

describe.runIf(process.platform === 'linux')('the identity of a process', () => {
  it('tells a process that is gone from one that is alive', async () => {
    const identity = readProcessIdentity();
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume(); console.log(1)'], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    await once(child.stdout, 'data');
    const [boot, namespace] = identity.own.split(' ');
    const stat = (await import('node:fs')).readFileSync(`/proc/${child.pid}/stat`, 'latin1');
    const startTime = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    const other = `${boot} ${namespace} ${child.pid} ${startTime}`;
    expect(identity.isGone(other)).toBe(false);
    expect(identity.isGone(`${boot} ${namespace} ${child.pid} 1`)).toBe(true);
    child.stdin.end();
    await once(child, 'exit');
    expect(identity.isGone(other)).toBe(true);
  });

  it('knows nothing about processes on other machines', () => {
    const identity = readProcessIdentity();
    const [boot, namespace, pid, start] = identity.own.split(' ');
    expect(Number(pid)).toBe(process.pid);
    expect(Number(start)).toBeGreaterThan(0);
    expect(identity.isGone(identity.own)).toBe(false);
    for (const foreign of [
      '',
      'nonsense',
      `x ${namespace} 999999999 1`,
      `${boot} pid:[1] 999999999 1`,
      `${boot} ${namespace} ../self 1`,
      `${boot} ${namespace}`,
    ]) {
      expect(identity.isGone(foreign), foreign).toBe(false);
    }
  });
});

it('the identity is empty on a system without /proc', () => {
  const identity = readProcessIdentity('/nowhere');
  expect(identity.own).toBe('');
  expect(identity.isGone('a b 1 2')).toBe(false);
});
