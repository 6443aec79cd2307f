import { describe, expect, it } from 'vitest';
import { Tenants } from './tenants.ts';

describe('Tenants', () => {
  it('counts the runs of each', () => {
    const tenants = new Tenants();
    tenants.enter('a');
    tenants.enter('a');
    tenants.enter('b');
    tenants.leave('a');
    expect([tenants.runsOf('a'), tenants.runsOf('b'), tenants.runsOf('c')]).toEqual([1, 1, 0]);
  });

  it('knows who is about: whoever has a run, or had one in the last minute', () => {
    const tenants = new Tenants();
    tenants.enter('a', 0);
    expect([tenants.isAlone('a', 0), tenants.isAlone('b', 0)]).toEqual([true, false]);
    tenants.enter('b', 1000);
    tenants.leave('b', 2000);
    expect([tenants.isAlone('a', 61_000), tenants.isAlone('a', 62_000)]).toEqual([false, true]);
    // Its run is still under way.
    expect(tenants.isAlone('b', 100_000)).toBe(false);
    tenants.enter('a', 200_000);
    expect(tenants.runsOf('a')).toBe(2);
  });
});
