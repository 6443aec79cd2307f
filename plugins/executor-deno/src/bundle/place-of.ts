/**
 * A position in the text that esbuild received, as the author counts: lines and columns from 1, without a line that was
 * inserted.
 */
export function placeOf(
  { line, column }: { readonly line: number; readonly column: number },
  insertedLine: number | undefined,
): { readonly line: number; readonly column: number } {
  const written = insertedLine !== undefined && line > insertedLine ? line - 1 : line;
  return { line: written, column: column + 1 };
}
