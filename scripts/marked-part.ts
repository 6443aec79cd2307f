/** The markers around the generated part of a written page. */
const begin = (name: string) => `<!-- begin ${name} -->`;
const end = (name: string) => `<!-- end ${name} -->`;

/**
 * The page with another text between the marks of a part.
 *
 * @throws Error where the page has no such marks.
 */
export function withPart(page: string, name: string, text: string): string {
  const from = page.indexOf(begin(name));
  const to = page.indexOf(end(name));
  if (from < 0 || to < from) throw new Error(`the page has no ${begin(name)} … ${end(name)}`);
  return `${page.slice(0, from)}${begin(name)}\n\n${text.trim()}\n\n${page.slice(to)}`;
}

/** A table in Markdown whose cells are padded, as the formatter of an editor would leave it. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')));
  const widths = head.map((name, column) => Math.max(3, name.length, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`;
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...cells.map(line)].join('\n');
}
