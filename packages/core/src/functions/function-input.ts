import type { FunctionSettings } from '../contracts/function-settings.ts';
import type { Schema } from '../contracts/json-schema.ts';
import type { ExecutionRow, FunctionRow } from '../contracts/rows.ts';

/** What a caller writes: the body of create and replace, of the documented shape but with unchecked schemas and code. */
export interface FunctionInput {
  readonly name: string;
  readonly description: string;
  readonly input: Schema;
  readonly output: Schema;
  /** Empty for a function that a model implements, by its settings. */
  readonly code: string;
  /** Written as a new version of the function's settings, in the same commit. */
  readonly settings?: FunctionSettings;
}

/** The five fields of a list entry. */
export type FunctionSummary = Pick<FunctionRow, 'id' | 'name' | 'description' | 'createdAt' | 'updatedAt'>;

/** An entry of a list of executions: without the documents and logs, which can have some MiB each. */
export type ExecutionSummary = Pick<
  ExecutionRow,
  'id' | 'functionId' | 'functionVersion' | 'status' | 'durationMs' | 'createdAt' | 'completedAt'
>;
