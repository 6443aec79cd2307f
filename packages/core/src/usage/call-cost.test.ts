import { describe, expect, it } from 'vitest';
import { periodOf } from './accounts.ts';
import { costNanoUsd, decimalUsd } from './call-cost.ts';
import { noUsage } from './usage-ledger.ts';

describe('the cost of tokens', () => {
  it('it is exact in billionths of a dollar', () => {
    const tokens = {
      ...noUsage,
      uncachedInputTokens: 1_000,
      cacheReadTokens: 10,
      cacheWriteTokens: 1,
      outputTokens: 7,
    };
    expect(costNanoUsd({ input: 0.075, output: 0.3 }, tokens)).toBe(1_011 * 75 + 7 * 300);
    expect(costNanoUsd({ input: 0, output: 0 }, tokens)).toBe(0);
  });

  it('cached tokens count at their own price, and at that of other input where they have none', () => {
    const tokens = {
      ...noUsage,
      uncachedInputTokens: 1_000,
      cacheReadTokens: 100,
      cacheWriteTokens: 10,
      outputTokens: 1,
    };
    expect(costNanoUsd({ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }, tokens)).toBe(
      3_000_000 + 30_000 + 37_500 + 15_000,
    );
    expect(costNanoUsd({ input: 3, output: 15, cacheRead: 0.3 }, tokens)).toBe(3_000_000 + 30_000 + 30_000 + 15_000);
  });

  it('it is no more than can be counted', () => {
    const tokens = { ...noUsage, outputTokens: 1_000_000_000 };
    expect(costNanoUsd({ input: 0, output: 1e300 }, tokens)).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('it is not known without a price', () => {
    expect(costNanoUsd(undefined, noUsage)).toBeNull();
  });

  it('it is written as a decimal without rounding', () => {
    expect([0, 1, 1_000_000_000, 12_345_678_901].map(decimalUsd)).toEqual([
      '0.000000000',
      '0.000000001',
      '1.000000000',
      '12.345678901',
    ]);
  });
});

describe('periods of budgets', () => {
  it('they are days and months in UTC', () => {
    const now = Date.parse('2028-02-29T23:59:59.999Z');
    const iso = ({ start, end }: { start: number; end: number }) =>
      [start, end].map((ms) => new Date(ms).toISOString().slice(0, 10));
    expect(iso(periodOf('day', now))).toEqual(['2028-02-29', '2028-03-01']);
    expect(iso(periodOf('month', now))).toEqual(['2028-02-01', '2028-03-01']);
    expect(iso(periodOf('month', Date.parse('2026-12-31T00:00:00Z')))).toEqual(['2026-12-01', '2027-01-01']);
  });
});
