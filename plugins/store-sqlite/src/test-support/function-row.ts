import type { FunctionRow } from '@patchbay/core/storage';

/** A plausible function, for tests. */
export function functionRow(id: string, fields: Partial<FunctionRow> = {}): FunctionRow {
  return {
    id,
    revision: 1,
    name: 'Summarize Text',
    key: null,
    description: '',
    input: { type: 'object' },
    output: { type: 'object' },
    code: 'export default () => ({});',
    artifact: '',
    bundleId: null,
    packages: null,
    contentHash: 'c0ffee',
    createdAt: '2026-01-02T03:04:05.678Z',
    updatedAt: '2026-01-02T03:04:05.678Z',
    ...fields,
  };
}
