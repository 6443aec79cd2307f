import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('./fixtures/fill-heap.ts', import.meta.url));

async function largestYoung(...args: readonly string[]): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=source', script, ...args]);
  return Number(stdout);
}

describe('boundHeap', () => {
  it('stops the young generation from growing, and lets it grow until then', async () => {
    const bound = await largestYoung('bound');
    expect(bound).toBeGreaterThanOrEqual(16);
    // Unbound it comes to some 90 MB and more; what is in use at a collection may stand above the limit.
    expect(bound).toBeLessThanOrEqual(64);
  });
});
