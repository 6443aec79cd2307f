import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Ending } from './run-outcome.ts';
import { watchUsage } from './usage-watch.ts';

const plenty = { residentBytes: 4e9, cpuSeconds: 100 };
const ignore = { onExceeded() {}, onBusy() {}, onLong() {} };

function endingOf(code: string, limits: Partial<typeof plenty>): Promise<Ending> {
  const child = spawn(process.execPath, ['-e', code], { stdio: 'ignore' });
  return new Promise<Ending>((resolve) => {
    const watch = watchUsage(child.pid ?? 0, { ...plenty, ...limits }, { ...ignore, onExceeded: resolve });
    child.once('exit', () => watch.stop());
  }).finally(() => child.kill('SIGKILL'));
}

describe.runIf(process.platform === 'linux')('watchUsage', () => {
  it('sees memory', async () => {
    const ending = endingOf('globalThis.kept = Buffer.alloc(3e8, 1); setInterval(() => {}, 1000)', {
      residentBytes: 2e8,
    });
    expect(await ending).toMatchObject({ reason: 'memory_limit' });
  });

  it('sees CPU', async () => {
    expect(await endingOf('for (;;) {}', { cpuSeconds: 0.3 })).toMatchObject({ reason: 'cpu_limit' });
  });

  it('tells who computes through, and who has done so for long', async () => {
    const child = spawn(process.execPath, ['-e', 'for (;;) {}'], { stdio: 'ignore' });
    const told: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const onLong = (): void => resolve(void told.push('long'));
    const watch = watchUsage(child.pid ?? 0, plenty, { ...ignore, onBusy: () => told.push('busy'), onLong });
    await promise;
    expect([told[0], told.at(-1)]).toEqual(['busy', 'long']);
    watch.stop();
    child.kill('SIGKILL');
    await once(child, 'exit');
  });

  it('knows who cannot have used up the CPU', async () => {
    const child = spawn('sleep', ['100']);
    const watch = watchUsage(child.pid ?? 0, plenty, ignore);
    expect(watch.mayHaveUsedCpu()).toBe(false);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(watch.mayHaveUsedCpu()).toBe(false);
    watch.stop();
  });
});
