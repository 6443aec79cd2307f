import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeFiles, definitionFile, promptFile, testsFile } from '../cli/functions/local-function.ts';

/** The parts of a folder with a function that show whether it was changed. */
export interface FunctionFolder {
  readonly key: string;
  /** The same for the same contents. */
  readonly source: string;
  readonly tests: string;
}

const sourceFiles = [definitionFile, ...codeFiles, promptFile];

/** Whether a file of this name belongs to a function; others are those of editors. */
export function isFunctionFile(name: string): boolean {
  return name === testsFile || sourceFiles.includes(name);
}

/** Folders that may have a function: its files are written after its folder. */
export async function listFolders(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name);
}

export async function readFolders(root: string): Promise<ReadonlyMap<string, FunctionFolder>> {
  const folders = new Map<string, FunctionFolder>();
  for (const key of (await listFolders(root)).toSorted()) {
    const [definition, ...others] = await Promise.all(sourceFiles.map((file) => hashOf(join(root, key, file))));
    if (definition === undefined) continue;
    const tests = (await hashOf(join(root, key, testsFile))) ?? '';
    folders.set(key, { key, source: [definition, ...others].join(' '), tests });
  }
  return folders;
}

/** Undefined if the file does not exist, temporarily or permanently. */
export async function hashOf(file: string): Promise<string | undefined> {
  const bytes = await readFile(file).catch(() => undefined);
  return bytes && createHash('sha256').update(bytes).digest('base64url');
}
