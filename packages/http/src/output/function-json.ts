import type { FunctionRow, FunctionVersionRow } from '@patchbay/core/storage';
import type { FunctionSummary } from '../service-types.ts';

/** The eight fields of a function. */
export function functionJson(row: FunctionRow) {
  const { id, name, description, input, output, code, createdAt, updatedAt } = row;
  return { id, name, description, input, output, code, createdAt, updatedAt };
}

/** The five fields of a list entry. */
export function functionSummaryJson(row: FunctionSummary) {
  const { id, name, description, createdAt, updatedAt } = row;
  return { id, name, description, createdAt, updatedAt };
}

export function versionJson(row: FunctionVersionRow) {
  const { functionId, version, name, description, input, output, code, contentHash, createdAt, createdBy } = row;
  return { functionId, version, name, description, input, output, code, contentHash, createdAt, createdBy };
}

export function versionSummaryJson(row: Omit<FunctionVersionRow, 'input' | 'output' | 'code'>) {
  const { functionId, version, name, description, contentHash, createdAt, createdBy } = row;
  return { functionId, version, name, description, contentHash, createdAt, createdBy };
}
