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
