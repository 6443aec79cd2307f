import { describe, expect, it } from 'vitest';
import { isCheckable, misfitOf } from './schema-fit.ts';

const schema = {
  type: 'object',
  properties: {
    label: { enum: ['billing', 'shipping'] },
    scores: { type: 'array', items: { type: 'integer' } },
    note: { type: ['string', 'null'] },
  },
  required: ['label'],
  additionalProperties: false,
};

describe('an answer', () => {
  it.each([
    [{ label: 'billing', scores: [1, 2], note: null }, undefined],
    [{ scores: [] }, '/label is missing'],
    [{ label: 'bill' }, '/label is not "billing" or "shipping"'],
    [{ label: 'billing', scores: [1, 1.5] }, '/scores/1 is not integer'],
    [{ label: 'billing', note: 3 }, '/note is not string or null'],
    [{ label: 'billing', other: 1 }, '/other is not expected'],
    [['billing'], 'The answer is not object'],
  ])('%j is compared with its schema: %s', (value, misfit) => {
    expect(misfitOf(schema, value, true)).toBe(misfit);
  });

  it.each([
    [{}, undefined],
    [{ label: 'bill' }, undefined],
    [{ label: 'bell' }, '/label is not "billing" or "shipping"'],
  ])('%j that is still being written fits as far as it goes: %s', (value, misfit) => {
    expect(misfitOf(schema, value, false)).toBe(misfit);
  });

  it('of a schema with other keywords is not said to fit', () => {
    expect(isCheckable(schema)).toBe(true);
    const limited = { type: 'integer', minimum: 0 };
    expect(isCheckable({ type: 'object', properties: { count: limited } })).toBe(false);
    expect(isCheckable({ type: 'object', properties: { list: { type: 'array', items: limited } } })).toBe(false);
  });
});
