import { expect, it } from 'vitest';
import { catalogue } from './catalogue.ts';

it('every model of the catalogue names its source and the date it was checked', () => {
  for (const { name, source } of catalogue) {
    expect(source?.url, name).toMatch(/^https:\/\/ai\.google\.dev\//);
    expect(source?.checkedAt, name).toMatch(/^2\d{3}-\d\d-\d\d$/);
  }
  expect(new Set(catalogue.map(({ source }) => source?.url)).size).toBe(catalogue.length);
});
