import { describe, expect, it } from 'vitest';
import { crashRun } from './test-support/crash/crash-run.ts';

describe('a process that is killed', () => {
  it('loses nothing that was acknowledged and leaves no half commit', { timeout: 60_000 }, async () => {
    const { acknowledged, ...found } = await crashRun(6, 20_260_101);
    expect(found).toEqual({ kills: 6, lost: [], torn: [], damage: [] });
    expect(acknowledged).toBeGreaterThan(100);
  });
});
