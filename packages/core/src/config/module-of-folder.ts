import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isPath } from './resolve-plugin.ts';

/**
 * The module of a plugin whose folder was named: what its package.json exports, or its source where nothing was built.
 * Everything else stays as it is.
 */
export function moduleOfFolder(use: string, directory: string): string {
  if (use.startsWith('file:') || !(isPath(use) || use === '.' || use === '..')) return use;
  const folder = resolve(directory, use);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return use;
  const candidates = [exportOf(folder), 'src/index.ts', 'index.ts', 'index.js'];
  const found = candidates.find((file) => file !== undefined && existsSync(join(folder, file)));
  return found === undefined ? folder : join(folder, found);
}

function exportOf(folder: string): string | undefined {
  let manifest: Readonly<Record<string, unknown>>;
  try {
    manifest = Object(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
  } catch {
    return undefined;
  }
  const { exports, main } = manifest;
  const root: unknown = Object(exports)['.'] ?? exports ?? main;
  const { import: module, node, default: any } = Object(root);
  return [root, module, node, any].find((each) => typeof each === 'string');
}
