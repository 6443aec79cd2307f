import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { releaseStartMemory } from './release-start-memory.ts';

describe('releaseStartMemory', () => {
  it('collects what nobody holds', async () => {
    const unheld = (() => new WeakRef({ large: Array.from({ length: 1_000 }, () => 0) }))();
    // Within the turn that made it, a weak reference keeps its target.
    await turn();
    releaseStartMemory();
    expect(unheld.deref()).toBeUndefined();
    expect('gc' in globalThis).toBe(false);
  });
});
