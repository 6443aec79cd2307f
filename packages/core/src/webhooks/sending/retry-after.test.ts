import { expect, it } from 'vitest';
import { readRetryAfter } from './retry-after.ts';

const now = Date.parse('2026-11-21T00:00:00Z');

it.each([
  ['17', 17_000],
  [' 0 ', 0],
  ['Sat, 21 Nov 2026 00:01:00 GMT', 60_000],
  ['Fri, 20 Nov 2026 00:01:00 GMT', 0],
  ['Saturday, 21-Nov-26 00:01:00 GMT', 60_000],
  [undefined, undefined],
  ['', undefined],
  ['-5', undefined],
  ['1.5', undefined],
  ['1e9', undefined],
  ['99999999999999999999', undefined],
  ['2026-11-22', undefined],
  ['Sat', undefined],
])('takes %j for %j', (value, milliseconds) => {
  expect(readRetryAfter(value, now)).toBe(milliseconds);
});
