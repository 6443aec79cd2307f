import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseToml } from '../source/parse-toml.ts';
import { mergeNodes, SourceError, type SourceNode } from '../source/source-node.ts';

/**
 * Read every TOML file in a folder, as TensorZero does with a glob, or one file.
 *
 * @param path Its name in reported positions; relative to `folder`.
 * @throws SourceError
 */
export async function readFolder(path: string, folder: string): Promise<SourceNode> {
  const files = await filesOf(path, folder);
  const nodes = files.map(async (file) => parseToml(await readFile(resolve(folder, file), 'utf8'), file));
  const [first, ...others] = await Promise.all(nodes);
  if (first === undefined) throw new SourceError(`${path} has no file of TensorZero, such as tensorzero.toml`);
  try {
    return others.reduce(mergeNodes, first);
  } catch (error) {
    throw new SourceError(`${(error as Error).message}: name a file to read no other`);
  }
}

async function filesOf(path: string, folder: string): Promise<readonly string[]> {
  const found = await stat(resolve(folder, path));
  if (!found.isDirectory()) return [path];
  const names = await readdir(resolve(folder, path), { recursive: true });
  return names
    .filter((name) => name.endsWith('.toml'))
    .sort()
    .map((name) => join(path, name));
}
