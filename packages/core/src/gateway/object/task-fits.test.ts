import { describe, expect, it } from 'vitest';
import { tenantId } from '../../contracts/tenant.ts';
import { createStoppedClock } from '../../functions/fixtures/function-parts.ts';
import { createTaskFits } from './task-fits.ts';

const HOUR_MS = 3_600_000;
const rate = { tenant: tenantId('acme'), functionName: 'Rate It' };

describe('how well models keep to the schemas of functions', () => {
  it('is counted by function and model, for one tenant, whichever way the function is named', () => {
    const fits = createTaskFits(createStoppedClock());
    for (const fit of ['fitted', 'mended', 'asked-again', 'failed', 'failed'] as const) fits.add(rate, 'a/one', fit);
    const counts = { asked: 5, mended: 1, askedAgain: 1, failed: 2 };
    expect(fits.read(rate, 'a/one')).toEqual(counts);
    expect(fits.read({ ...rate, functionName: 'rateIt' }, 'a/one')).toEqual(counts);
    expect(fits.read(rate, 'b/two')).toBeUndefined();
    expect(fits.read({ ...rate, functionName: 'other' }, 'a/one')).toBeUndefined();
    expect(fits.read({ ...rate, tenant: tenantId('other') }, 'a/one')).toBeUndefined();
  });

  it('fades within hours', () => {
    const clock = createStoppedClock();
    const fits = createTaskFits(clock);
    fits.add(rate, 'a/one', 'failed');
    clock.advance(6 * HOUR_MS);
    expect(fits.read(rate, 'a/one')?.failed).toBeCloseTo(1 / Math.E, 5);
    fits.add(rate, 'a/one', 'fitted');
    expect(fits.read(rate, 'a/one')?.asked).toBeCloseTo(1 + 1 / Math.E, 5);
    clock.advance(48 * HOUR_MS);
    expect(fits.read(rate, 'a/one')).toBeUndefined();
  });

  it('is kept of the thousand functions that were called last', () => {
    const fits = createTaskFits(createStoppedClock());
    const task = (number: number) => ({ ...rate, functionName: `task${number}` });
    for (let number = 0; number < 1_000; number += 1) fits.add(task(number), 'a/one', 'fitted');
    fits.add(task(0), 'a/one', 'fitted');
    fits.add(task(1_000), 'a/one', 'fitted');
    expect([0, 1, 2, 1_000].map((number) => fits.read(task(number), 'a/one')?.asked)).toEqual([2, undefined, 1, 1]);
  });
});
