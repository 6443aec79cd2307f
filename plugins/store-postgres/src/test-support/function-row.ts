import type { FunctionRow, Write } from '@patchbay/core/storage';

/** A plausible function. */
export function functionRow(id: string, fields: Partial<FunctionRow> = {}): FunctionRow {
  return {
    id,
    revision: 1,
    name: 'Function',
    key: 'function',
    description: '',
    input: { type: 'object' },
    output: { type: 'object' },
    code: 'export default () => ({})',
    artifact: '',
    bundleId: null,
    packages: null,
    contentHash: '',
    createdAt: '2026-01-02T03:04:05.678Z',
    updatedAt: '2026-01-02T03:04:05.678Z',
    ...fields,
  };
}

export const insertFunction = (id: string, fields: Partial<FunctionRow> = {}): Write => ({
  insert: 'functions',
  row: functionRow(id, fields),
});
