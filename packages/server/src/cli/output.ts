/** Where a command writes. */
export interface Output {
  /** The result of the command, and nothing else: it may go into a pipe. */
  result(text: string): void;
  /** For the person at the terminal. */
  note(text: string): void;
}

/** Whether results are JSON, each document on a line. */
export interface Printing {
  readonly json?: boolean;
}

/** A count with its noun in singular or plural: `1 key`, `2 keys`. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}

/** Print elements of a list: for a person at a terminal, as rows with columns as wide as they need. */
export function printRows<T>(
  output: Output,
  { json }: Printing,
  all: readonly T[],
  cellsOf: (element: T) => readonly string[],
): void {
  const lines = json ? all.map((each) => JSON.stringify(each)) : table(all.map(cellsOf));
  for (const line of lines) output.result(line);
}

/** Print one document, which is JSON for a person as well. */
export function printDocument(output: Output, { json }: Printing, document: unknown): void {
  output.result(JSON.stringify(document, undefined, json ? undefined : 2));
}

/** Print what a script uses: a document with `--json`, otherwise the one string in it that matters. */
export function printResult(output: Output, { json }: Printing, document: object, text: string): void {
  output.result(json ? JSON.stringify(document) : text);
}

/** Columns as wide as they need. */
function table(rows: readonly (readonly string[])[]): readonly string[] {
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
