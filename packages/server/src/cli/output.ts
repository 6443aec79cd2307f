/** Where a command writes. */
export interface Output {
  /** The result of the command, and nothing else: it may go into a pipe. */
  result(text: string): void;
  /** For the person at the terminal. */
  note(text: string): void;
}

/** A count with its noun in singular or plural: `1 key`, `2 keys`. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}

/** Rows in columns as wide as they need, for a person at a terminal. */
export function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widthOf = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const widths = Array.from({ length: Math.max(0, ...rows.map(({ length }) => length)) }, (_, column) =>
    widthOf(column),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
