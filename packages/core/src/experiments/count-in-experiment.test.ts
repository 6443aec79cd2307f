import { newId } from '@patchbay/contracts/base/type-id';
import type { ExperimentRow, FeedbackRow, FunctionSettingsRow } from '@patchbay/contracts/rows';
import type { Storage } from '@patchbay/contracts/storage';
import { tenantId } from '@patchbay/contracts/tenant';
import { describe, expect, it } from 'vitest';
import { createScoreCounter } from './count-in-experiment.ts';

const past = new Date(Date.now() - 60_000).toISOString();
const row: ExperimentRow = {
  id: newId('experiment'),
  revision: 7,
  functionId: 'function_1',
  label: 'production',
  before: 1,
  status: 'running',
  metric: 'score',
  optimize: 'max',
  allocation: 'fixed',
  rule: { delta: 0.05, epsilon: 0.05, minPerVariant: 20 },
  variants: [
    { version: 1, count: 2, sum: 1 },
    { version: 2, count: 0, sum: 0 },
  ],
  winner: null,
  createdAt: new Date(Date.now() + 60_000).toISOString(),
  createdBy: 'key_1',
  endedAt: null,
};
const head: FunctionSettingsRow = {
  id: 'function_1',
  revision: 3,
  functionId: 'function_1',
  latest: 2,
  labels: { production: 1 },
  experiment: { id: row.id, label: 'production' },
  updatedAt: past,
  updatedBy: 'key_1',
};
const feedback: FeedbackRow = {
  id: 'feedback_1',
  revision: 1,
  target: newId('call'),
  metric: 'score',
  value: 0.5,
  comment: null,
  demonstration: null,
  functionId: 'function_1',
  name: '',
  settingsVersion: 1,
  model: 'acme/large',
  createdAt: past,
  createdBy: 'key_2',
};

const get = (async (_tenant, collection) => (collection === 'experiments' ? row : head)) as Storage['get'];
const count = createScoreCounter({ storage: { get }, clock: { now: Date.now, monotonic: Date.now } });
const writesFor = (changes: Partial<FeedbackRow>) =>
  count(tenantId('acme'), { ...feedback, ...changes }, 1, async ({ writes }) => writes);

describe('the score counter', () => {
  it('counts a score of a variant, on the condition that the experiment has not changed', async () => {
    const [first, second] = row.variants;
    const variants = [{ ...first, count: 3, sum: 1.5 }, second];
    expect(await writesFor({})).toEqual([{ update: 'experiments', id: row.id, set: { variants }, ifRevision: 7 }]);
  });

  it.each<[why: string, Partial<FeedbackRow>]>([
    ['the version is not a variant', { settingsVersion: 3 }],
    ['the answer had no settings', { settingsVersion: null }],
    ['the metric is a different one', { metric: 'edits' }],
    ['the answer is from before the experiment', { target: 'call_01k0d9v0pe4x2h5n6q7r8s9t0v' }],
    ['the value is a string', { value: 'good' }],
    ['the value is above 1', { value: 3 }],
  ])('leaves the experiment as it is if %s', async (_why, changes) => {
    expect(await writesFor(changes)).toEqual([]);
  });
});
