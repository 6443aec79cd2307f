import { describe, expect, it } from 'vitest';
import { type NewUsage, WaitingRows } from './usage-ledger.ts';

const usage: NewUsage = {
  kind: 'model',
  keyId: 'key_1',
  functionId: 'function_1',
  model: 'acme/one',
  outcome: 'completed',
  estimated: false,
  costNanoUsd: 7,
  uncachedInputTokens: 1,
  cacheReadTokens: 2,
  cacheWriteTokens: 3,
  outputTokens: 4,
  reasoningTokens: 5,
  durationMs: 6,
  requestId: 'request_1',
  createdAt: '2026-01-02T03:59:59.000Z',
};

describe('usage entries that wait', () => {
  it('calls with the same dimensions share an entry, with the sums of all amounts', () => {
    const waiting = new WaitingRows();
    const later = { ...usage, createdAt: '2026-01-02T03:59:59.999Z' };
    const ids = [usage, later, usage].map((each) => waiting.addUsage(each));
    expect(new Set(ids).size).toBe(1);
    expect(waiting.rows.map(({ row }) => row)).toEqual([
      {
        ...usage,
        id: ids[0],
        revision: 1,
        calls: 3,
        costNanoUsd: 21,
        uncachedInputTokens: 3,
        cacheReadTokens: 6,
        cacheWriteTokens: 9,
        outputTokens: 12,
        reasoningTokens: 15,
        durationMs: 18,
      },
    ]);
  });

  it.each<Partial<NewUsage>>([
    { kind: 'execution' },
    { keyId: 'key_2' },
    { functionId: '' },
    { model: 'acme/two' },
    { outcome: 'failed' },
    { estimated: true },
    { costNanoUsd: null },
    { createdAt: '2026-01-02T04:00:00.000Z' },
  ])('a call with another dimension has an entry of its own: %j', (other) => {
    const waiting = new WaitingRows();
    for (const each of [usage, { ...usage, ...other }, { ...usage, ...other }, usage, usage]) waiting.addUsage(each);
    expect(waiting.rows.map(({ row }) => 'calls' in row && row.calls)).toEqual([3, 2]);
  });
});
