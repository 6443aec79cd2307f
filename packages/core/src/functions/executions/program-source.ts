import type { JsonObject } from '@patchbay/contracts/json';
import type { FunctionRow } from '@patchbay/contracts/rows';
import type { ServedCalls } from '../host-calls/open-host-calls.ts';

/** A program that the executor has checked. */
export interface PreparedProgram {
  readonly code: string;
  readonly artifact: string;
  /** The only host calls that it can make. */
  readonly calls: ServedCalls;
  /** The function calls that it has made so far, as they are recorded. */
  readonly made: readonly JsonObject[];
}

/** Stands for every program in executions and usage, where others have the id of their function. */
const PROGRAM = 'program';

/** A program in the form in which it is run: a function that is not stored. */
export function programSource({ code, artifact }: PreparedProgram, createdAt: string): FunctionRow {
  return {
    id: PROGRAM,
    revision: 1,
    name: '',
    key: null,
    description: '',
    input: { type: 'object' },
    output: { type: 'object' },
    code,
    artifact,
    bundleId: null,
    packages: null,
    contentHash: '',
    createdAt,
    updatedAt: createdAt,
  };
}
