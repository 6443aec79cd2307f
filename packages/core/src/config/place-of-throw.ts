import { relative, resolve } from 'node:path';

/**
 * `plugins/mine.ts:3:5 ` for what a module below a folder threw while it was imported; nothing where it was thrown
 * elsewhere, or the place is not known. Of a syntax error, Node puts the place on top of the stack, above the line itself
 * and a mark below it.
 */
export function placeOfThrow(error: unknown, folder: string): string {
  const { stack } = Object(error) as { readonly stack?: unknown };
  if (typeof stack !== 'string') return '';
  const lines = stack.split('\n');
  const [top = '', , mark = ''] = lines;
  const [, syntaxFile, syntaxLine] = /^((?:file:\/\/)?(?:\/|[A-Z]:).*):(\d+)$/.exec(top) ?? [];
  if (syntaxFile !== undefined) {
    const column = /^ *\^/.test(mark) ? `${mark.indexOf('^') + 1}` : undefined;
    return placeText(syntaxFile, folder, [syntaxLine, column]);
  }
  for (const frame of lines.slice(1)) {
    const [, file, line, column] = /(?:\(|at )((?:file:\/\/)?(?:\/|[A-Z]:).*?):(\d+):(\d+)\)?$/.exec(frame) ?? [];
    const place = file === undefined ? '' : placeText(file, folder, [line, column]);
    if (place !== '') return place;
  }
  return '';
}

function placeText(file: string, folder: string, place: readonly (string | undefined)[]): string {
  const path = decodeURI(file.replace(/^file:\/\/(?=\/)/, '').replace(/[?#].*$/, ''));
  const name = relative(resolve(folder), path);
  if (name.startsWith('..') || /(^|[\\/])node_modules[\\/]/.test(name)) return '';
  return `${[name, ...place].filter((part) => part !== undefined).join(':')} `;
}
