import type { RunPolicy } from '@patchbay/contracts/function-settings';
import type { ExecutionStatus } from '@patchbay/contracts/rows';
import { describe, expect, it } from 'vitest';
import { limitsWithin, ofWaiting, repeatAfterMs } from './admission.ts';

const limits = { wallMs: 10_000, outputBytes: 1, logBytes: 1 };

describe('the policy of an execution', () => {
  it('lowers the timeout of a run, and never raises it', () => {
    expect(limitsWithin(limits, { timeoutMs: 500 })).toEqual({ ...limits, wallMs: 500 });
    expect(limitsWithin(limits, { timeoutMs: 90_000 })).toBe(limits);
    expect(limitsWithin(limits, { timeoutMs: 90_000, memoryMb: 32 })).toEqual({ ...limits, memoryMb: 32 });
    expect(limitsWithin(limits, null)).toBe(limits);
  });

  it('keeps only how often the function may run if a caller waits for a model', () => {
    const rateLimit = { requests: 1, seconds: 1, burst: 1 };
    const policy = { timeoutMs: 500, rateLimit };
    expect(ofWaiting({ code: 'run' }, policy)).toBe(policy);
    expect(ofWaiting({ code: '' }, policy)).toEqual({ rateLimit });
    expect(ofWaiting({ code: '' }, { timeoutMs: 500 })).toBeNull();
  });

  // Each give or take a fifth.
  it.each<[RunPolicy, attempt: number, ExecutionStatus, seconds: number]>([
    [{ retry: { attempts: 3 } }, 1, 'failed', 1],
    [{ retry: { attempts: 3 } }, 2, 'timed_out', 2],
    [{ retry: { attempts: 9, backoff: '30s' } }, 3, 'interrupted', 120],
    [{ retry: { attempts: 20, backoff: '1h' } }, 19, 'failed', 3_600],
  ])('%j repeats run %i that is %s after %s seconds', (policy, attempt, status, seconds) => {
    const ms = repeatAfterMs({ policy, attempt }, status);
    expect(ms).toBeGreaterThanOrEqual(Math.min(seconds * 800, 3_600_000));
    expect(ms).toBeLessThanOrEqual(Math.min(seconds * 1_200, 3_600_000));
  });

  it.each<[RunPolicy | null, attempt: number, ExecutionStatus]>([
    [null, 1, 'failed'],
    [{ timeoutMs: 1 }, 1, 'failed'],
    [{ retry: { attempts: 3 } }, 3, 'interrupted'],
    [{ retry: { attempts: 3 } }, 1, 'cancelled'],
    [{ retry: { attempts: 3 } }, 1, 'completed'],
    [{ retry: { attempts: 3, on: ['timed_out'] } }, 1, 'failed'],
  ])('%j does not repeat run %i that is %s', (policy, attempt, status) => {
    expect(repeatAfterMs({ policy, attempt }, status)).toBeUndefined();
  });
});
