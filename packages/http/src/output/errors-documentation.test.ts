import { readFileSync } from 'node:fs';
import { errorCodes } from '@patchbay/core';
import { describe, expect, it } from 'vitest';

// The formatter pads the cells of tables.
const page = readFileSync(new URL('../../../../docs/reference/errors.md', import.meta.url), 'utf8').replaceAll(
  / {2,}/g,
  ' ',
);
const rows = [...page.matchAll(/^\| `(\w+)` \| (\d+) \| (yes|no) \| .+ \| .+ \|$/gm)].map(
  ([, code = '', status, retry]) => [code, { status: Number(status), retryable: retry === 'yes' }] as const,
);

describe('docs/reference/errors.md', () => {
  it('has every code once, with its status, and no other', () => {
    const codes = Object.entries(errorCodes).map(([code, { status, retryable }]) => [code, { status, retryable }]);
    expect(rows.map(([code]) => code).toSorted()).toEqual(Object.keys(errorCodes).toSorted());
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(codes));
  });
});
