import { tenantId } from '@patchbay/contracts/tenant';
import { describe, expect, it } from 'vitest';
import type { ModelCounts } from '../gateway/model-performance/task-memory.ts';
import type { Task } from '../gateway/model-performance/task-records.ts';
import { metricsOf } from './check-metric.ts';
import { countScore } from './count-score.ts';

const tenant = tenantId('acme');
const createdAt = '2026-01-02T03:04:05.678Z';
const given = { metric: 'score', value: 0.75, model: 'acme/large', settingsVersion: 3, createdAt } as const;
const metrics = metricsOf({
  metrics: {
    errors: { optimize: 'min', weight: 0.5 },
    important: { optimize: 'max', weight: 2 },
    remark: {},
  },
});
const judged = { functionName: 'Rate It', metrics: metricsOf({}) };

function countsOf(row: Partial<Parameters<typeof countScore>[2]>, by = judged, times: 1 | -1 = 1) {
  const added: [Task, ModelCounts][] = [];
  const records = { add: (...counts: [Task, ModelCounts]) => void added.push(counts) };
  countScore(records, tenant, { ...given, ...row }, by, times);
  return added;
}

describe('the score that feedback gives to a model', () => {
  it('feedback counts for the function, the version of its settings and the model, at the time it was given', () => {
    const scores = { at: Date.parse(createdAt), count: 1, sum: 0.75, squares: 0.5625, given: 1 };
    const counts = { model: 'acme/large', settingsVersion: 3, fit: null, scores };
    expect(countsOf({})).toEqual([[{ tenant, functionName: 'Rate It' }, counts]]);
    expect(countsOf({ settingsVersion: null })).toMatchObject([[{}, { settingsVersion: 0 }]]);
  });

  it('metrics count in proportion to their weight, and errors inversely', () => {
    const declared = { functionName: 'Rate It', metrics };
    const sums = ['important', 'score', 'errors'].map(
      (metric) => countsOf({ metric, value: true }, declared)[0]?.[1].scores,
    );
    expect(sums).toMatchObject([
      { count: 1, sum: 1 },
      { count: 0.5, sum: 0.5 },
      { count: 0.25, sum: 0 },
    ]);
  });

  it('deleted feedback is subtracted again', () => {
    const [[, added] = [], [, removed] = []] = [...countsOf({}), ...countsOf({}, judged, -1)];
    expect((added?.scores?.sum ?? 0) + (removed?.scores?.sum ?? 1)).toBe(0);
    expect((added?.scores?.given ?? 0) + (removed?.scores?.given ?? 1)).toBe(0);
  });

  it('outputs of code, chats and metrics that are only recorded add no score', () => {
    expect(countsOf({ model: '' })).toEqual([]);
    expect(countsOf({}, { ...judged, functionName: '' })).toEqual([]);
    expect(countsOf({ metric: 'remark', value: 'too long' }, { ...judged, metrics })).toEqual([]);
  });
});
