import type { Bindable, Dialect } from './columns.ts';

/** A statement of constant text: what a caller brings is in the parameters, never in the text. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly Bindable[];
}

/** Capability of storages whose commits run statements that another plugin brings. */
export const statementCapability = 'postgres-statement';

/** Whether the content of a write is a statement. Its text is constant; values are in the parameters. */
export function isStatement(content: unknown): content is Statement {
  const { sql, parameters } = (content ?? {}) as Partial<Record<keyof Statement, unknown>>;
  return typeof sql === 'string' && Array.isArray(parameters);
}

/** What a driver answers. `conflict`: a unique constraint refused the statement, which then did nothing. */
export interface StatementResult {
  readonly changes: number;
  readonly rows: readonly (readonly unknown[])[];
  readonly conflict: boolean;
}

/** The next placeholder of a statement that is being written. */
export type NextPlaceholder = () => string;

export function placeholders(dialect: Dialect): NextPlaceholder {
  let last = 0;
  return () => {
    last += 1;
    return dialect === 'postgres' ? `$${last}` : '?';
  };
}

/** A name within SQL text. Names come from the table of collections only. */
export function quote(name: string): string {
  return `"${name}"`;
}
