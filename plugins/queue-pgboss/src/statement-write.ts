import type { Write } from '@patchbay/core/storage';

/** Capability of a storage whose commits run statements of PostgreSQL. */
export const statementCapability = 'postgres-statement';

/** A statement of constant text. It has to change, or return, a row. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly (string | number | boolean | null)[];
}

/** Puts a statement into a commit of the storage. */
export function statementWrite(content: Statement): Write {
  return { capability: statementCapability, content };
}
