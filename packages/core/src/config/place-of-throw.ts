import { isAbsolute, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * `plugins/mine.ts:3:5 ` for what a module threw while it was imported; nothing where it was thrown elsewhere, or the
 * place is not known. Of a syntax error, Node puts the place on top of the stack, above a few lines with a mark below the
 * one that is wrong: that is told wherever the file is, unless it is in an installed package.
 *
 * @param folders Whose code is told of. Places are relative to the first.
 */
export function placeOfThrow(error: unknown, folders: readonly [string, ...string[]]): string {
  const { stack } = Object(error) as { readonly stack?: unknown };
  if (typeof stack !== 'string') return '';
  const lines = stack.split('\n');
  const syntax = topOfStack(lines);
  if (syntax !== undefined) return placeText(syntax.file, folders[0], [syntax.line, syntax.column]);
  for (const frame of lines.slice(1)) {
    const [, file, line, column] = /(?:\(|at )((?:file:\/\/)?(?:\/|[A-Z]:).*?):(\d+):(\d+)\)?$/.exec(frame) ?? [];
    if (file === undefined || !folders.some((folder) => isWithin(folder, pathOf(file)))) continue;
    const place = placeText(file, folders[0], [line, column]);
    if (place !== '') return place;
  }
  return '';
}

/** The place that Node writes above the text of a syntax error. */
export function topOfStack(lines: readonly string[]) {
  const [, file, line] = /^((?:file:\/\/)?(?:\/|[A-Z]:).*):(\d+)$/.exec(lines[0] ?? '') ?? [];
  if (file === undefined) return undefined;
  const source = lines.slice(1, lines.indexOf(''));
  const mark = source.findLast((text) => /^\s*\^+\s*$/.test(text));
  return { file, line, column: mark === undefined ? undefined : `${mark.indexOf('^') + 1}` };
}

export function placeText(file: string, folder: string, place: readonly (string | undefined)[]): string {
  const name = relative(resolve(folder), pathOf(file));
  if (/(^|[\\/])node_modules[\\/]/.test(name)) return '';
  return `${[name, ...place].filter((part) => part !== undefined).join(':')} `;
}

function pathOf(file: string): string {
  return file.startsWith('file:') ? fileURLToPath(file.replace(/[?#].*$/, '')) : file;
}

function isWithin(folder: string, path: string): boolean {
  const name = relative(resolve(folder), path);
  return !name.startsWith('..') && !isAbsolute(name);
}
