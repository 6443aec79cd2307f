import { basename } from 'node:path';

/**
 * `name.ts:3:5 ` for what a module of one's own threw while it was imported; nothing where the place is not known, or in a
 * package. Of a syntax error, Node puts the place on top of the stack, above the line itself and a mark below it.
 */
export function placeOfThrow(error: unknown): string {
  const { stack } = Object(error) as { readonly stack?: unknown };
  if (typeof stack !== 'string') return '';
  const lines = stack.split('\n');
  const [top = '', , mark = ''] = lines;
  const [, file, line] = /^(?:file:\/\/)?(\/.*|[A-Z]:.*):(\d+)$/.exec(top) ?? [];
  if (file !== undefined) return placeText(file, line, /^ *\^/.test(mark) ? mark.indexOf('^') + 1 : undefined);
  for (const frame of lines.slice(1)) {
    const [, url, at, column] = /(?:\(|at )((?:file:\/\/)?(?:\/|[A-Z]:).*?):(\d+):(\d+)\)?$/.exec(frame) ?? [];
    if (url !== undefined) return placeText(decodeURI(url), at, Number(column));
  }
  return '';
}

function placeText(file: string, line: string | undefined, column: number | undefined): string {
  if (/[\\/]node_modules[\\/]/.test(file)) return '';
  const name = basename(file.replace(/[?#].*$/, ''));
  return `${[name, line, column].filter((part) => part !== undefined).join(':')} `;
}
