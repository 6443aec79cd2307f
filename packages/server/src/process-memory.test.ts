import { execFile } from 'node:child_process';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { releaseStartMemory } from './process-memory.ts';

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
    const [unbound, bound] = await Promise.all([
      printed('short-lived-objects.ts'),
      printed('short-lived-objects.ts', 'bound'),
    ]);
    expect(bound).toBeLessThan(unbound / 4);
  });
});

describe('releaseStartMemory', () => {
  it('releaseStartMemory collects garbage', async () => {
    const unheld = (() => new WeakRef({ large: Array.from({ length: 1_000 }, () => 0) }))();
    // Within the turn that made it, a weak reference keeps its target.
    await turn();
    releaseStartMemory();
    expect(unheld.deref()).toBeUndefined();
    expect('gc' in globalThis).toBe(false);
  });
});
