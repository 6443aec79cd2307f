import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { CliContext } from '../cli-context.ts';
import { UsageError } from '../usage-error.ts';
import { definitionFile, exists, type LocalFunction, readLocalFunction } from './local-function.ts';

/**
 * The functions in the folders of `dir`, or those of them that are named by their key.
 *
 * @throws UsageError
 */
export async function findLocal(
  { cwd }: CliContext,
  dir: string,
  keys: readonly string[],
): Promise<readonly LocalFunction[]> {
  const root = resolve(cwd, dir);
  const names = keys.length > 0 ? keys : await foldersOf(root);
  return await Promise.all(names.map((name) => readLocalFunction(join(root, name))));
}

async function foldersOf(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${root} cannot be read: ${error.code}; name the folder of the functions with --dir`);
  });
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
  const names = folders.map(({ name }) => name).sort();
  const complete = await Promise.all(names.map((name) => exists(join(root, name, definitionFile))));
  return names.filter((_, index) => complete[index]);
}
