import { execFile } from 'node:child_process';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { releaseStartMemory, releaseUnlessBusy } from './process-memory.ts';

/** The number that a script in `fixtures` prints. */
async function printed(script: string, ...args: readonly string[]): Promise<number> {
  const path = fileURLToPath(new URL(`./fixtures/${script}`, import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=source', path, ...args]);
  return Number(stdout);
}

describe('boundHeap', () => {
  it('stops the young generation from growing, and lets it grow until then', async () => {
    const bound = await printed('fill-heap.ts', 'bound');
    expect(bound).toBeGreaterThanOrEqual(16);
    // Unbounded, it reaches 128 MiB; what is in use at a collection may exceed the limit.
    expect(bound).toBeLessThanOrEqual(96);
  });

  it('keeps objects that end soon out of the old generation, whatever those before them did', async () => {
    // Otherwise, with most decisions of V8, it is 550 MB.
    expect(await printed('short-lived-objects.ts', 'bound')).toBeLessThan(100);
  });
});

async function garbage(): Promise<WeakRef<object>> {
  const unheld = (() => new WeakRef({ large: Array.from({ length: 1_000 }, () => 0) }))();
  // Within the turn that made it, a weak reference keeps its target.
  await turn();
  return unheld;
}

describe('releaseStartMemory', () => {
  it('releaseStartMemory collects garbage', async () => {
    const unheld = await garbage();
    releaseStartMemory();
    expect(unheld.deref()).toBeUndefined();
    expect('gc' in globalThis).toBe(false);
  });
});

describe('releaseUnlessBusy', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('collects garbage of an idle process once, and leaves a busy one alone', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const unheld = await garbage();
    releaseUnlessBusy();
    const busyUntil = performance.now() + 50;
    while (performance.now() < busyUntil);
    vi.advanceTimersByTime(60_000);
    expect(unheld.deref()).toBeDefined();

    await turn();
    const since = performance.eventLoopUtilization();
    releaseUnlessBusy();
    // Idle time is what is measured. In short pieces, waking up would take too large a share.
    do await sleep(200);
    while (performance.eventLoopUtilization(since).utilization > 0.05);
    vi.advanceTimersByTime(60_000);
    expect(unheld.deref()).toBeUndefined();
  });
});
