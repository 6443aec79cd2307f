import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * The position, such as `plugins/mine.ts:3:5 `, at which the import of a file of the operator failed, there or in what it
 * imports; nothing if it is unknown.
 *
 * @param url Of the file, as it was imported. @param directory Paths are relative to it.
 */
export async function placeOfFailedImport(error: unknown, url: string, directory: string): Promise<string> {
  const place = placeOfThrow(error, [directory, dirname(fileURLToPath(url))]);
  const isSyntax = (Object(error) as { readonly name?: unknown }).name === 'SyntaxError';
  return place === '' && isSyntax ? await placeOfSyntaxError(url, directory) : place;
}

/**
 * `plugins/mine.ts:3:5 ` for an error that a module threw while it was imported; nothing if it was thrown elsewhere, or
 * the position is unknown. For a syntax error, Node puts the position at the top of the stack, above a few lines with a
 * marker below the faulty one: that position is returned wherever the file is, unless it is in an installed package.
 *
 * @param folders Those whose code is named. Paths are relative to the first.
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

/** The position that Node prints above the text of a syntax error. */
function topOfStack(lines: readonly string[]) {
  const [, file, line] = /^((?:file:\/\/)?(?:\/|[A-Z]:).*):(\d+)$/.exec(lines[0] ?? '') ?? [];
  if (file === undefined) return undefined;
  const source = lines.slice(1, lines.indexOf(''));
  const mark = source.findLast((text) => /^\s*\^+\s*$/.test(text));
  return { file, line, column: mark === undefined ? undefined : `${mark.indexOf('^') + 1}` };
}

function placeText(file: string, folder: string, place: readonly (string | undefined)[]): string {
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

/** More files than a plugin by path has, and few enough to be checked quickly. */
const MAX_FILES = 20;
const TIMEOUT_MS = 5_000;

/**
 * The position of a syntax error in a module, or in a file that it imports by path: `mine.js:3:5 `. Node prints the
 * position in an ES module only at the end of a process, so each file is checked by a new process, which runs nothing.
 *
 * @returns nothing if it was not found
 */
export async function placeOfSyntaxError(url: string, folder: string): Promise<string> {
  // Another program, such as one that embeds Node, would do something else with the arguments.
  if (!url.startsWith('file:') || !/^node(\.exe)?$/i.test(basename(process.execPath))) return '';
  const files = new Set([fileURLToPath(url)]);
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    const found = /\.[cm]?js$/.test(file) ? await check(file) : undefined;
    if (found !== undefined) return placeText(file, folder, [found.line, found.column]);
    for (const [, path = ''] of text.matchAll(/\b(?:from|import)\s*\(?\s*["'](\.{1,2}\/[^"'\n]+)["']/g)) {
      if (files.size < MAX_FILES) files.add(fileURLToPath(new URL(path, pathToFileURL(file))));
    }
  }
  return '';
}

async function check(file: string): Promise<ReturnType<typeof topOfStack>> {
  const { promise, resolve } = Promise.withResolvers<string>();
  execFile(process.execPath, ['--check', file], { timeout: TIMEOUT_MS }, (_error, _output, text) => resolve(text));
  return topOfStack((await promise).split(/\r?\n/));
}
