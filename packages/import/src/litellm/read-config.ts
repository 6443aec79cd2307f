import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parseYaml } from '../source/parse-yaml.ts';
import { createSource } from '../source/source.ts';
import { mergeNodes, SourceError, type SourceNode } from '../source/source-node.ts';

/**
 * Read a config of LiteLLM, with the files that it includes.
 *
 * @param file Its name in reported positions; relative to `folder`.
 * @throws SourceError
 */
export async function readConfig(file: string, folder: string): Promise<SourceNode> {
  const path = resolve(folder, file);
  const node = parseYaml(await readFile(path, 'utf8'), file);
  if (!(node.content instanceof Map)) throw new SourceError(`${node.place} must be a map`);
  const { include, ...members } = Object.fromEntries(node.content as ReadonlyMap<string, SourceNode>);
  let merged: SourceNode = { ...node, content: new Map(Object.entries(members)) };
  if (include === undefined) return merged;
  const listed = createSource(include);
  for (const { scalar, place } of listed.scalar === undefined ? listed.items() : [listed]) {
    if (typeof scalar !== 'string') throw new SourceError(`${place} is not the name of a file to include`);
    merged = mergeNodes(merged, parseYaml(await readFile(resolve(dirname(path), scalar), 'utf8'), scalar));
  }
  return merged;
}
