import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { placeText, topOfStack } from './place-of-throw.ts';

/** More than a plugin by path has files, few enough that nobody waits for them. */
const MAX_FILES = 20;
const TIMEOUT_MS = 5_000;

/**
 * Where the JavaScript of a module, or of what it imports by a path, is none: `mine.js:3:5 `. Node tells this of an
 * ES module only to the terminal, at the end of a process, so each file is checked by another one, which runs nothing.
 *
 * @returns nothing where it was not found
 */
export async function placeOfSyntaxError(url: string, folder: string): Promise<string> {
  // Another program, such as one that Node is built into, would do something else with the arguments.
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
