import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isPlainObject } from './config-path.ts';
import { parseTemplate } from './interpolate.ts';
import { readConfigFile } from './read-config-file.ts';
import { isPath } from './resolve-plugin.ts';

/** The local files that a config consists of. */
export interface ConfigFiles {
  /** Read by `${file:path}`. */
  readonly texts: readonly string[];
  /** Imported by `use` with a path. */
  readonly modules: readonly string[];
}

/**
 * The files of a config, to watch them for changes. The config is not validated, so that the files of an invalid
 * config are included.
 *
 * @param file Absolute.
 * @throws PatchbayError `config_invalid` if the config cannot be read or imported.
 *
 * @example
 * ```ts
 * import { watch } from 'node:fs';
 * import { filesOfConfig } from '@patchbay/core';
 *
 * const { texts, modules } = await filesOfConfig('/etc/patchbay/patchbay.config.yaml');
 * for (const file of [...texts, ...modules]) watch(file, () => console.log('changed:', file));
 * ```
 */
export async function filesOfConfig(file: string): Promise<ConfigFiles> {
  const directory = dirname(file);
  const texts = new Set<string>();
  const modules = new Set<string>();
  const visit = (node: unknown, name: string): void => {
    if (typeof node === 'string') {
      if (name === 'use' && isPath(node)) modules.add(pathOf(node, directory));
      const template = node.includes('${') ? parseTemplate(node) : [];
      for (const piece of 'fault' in template ? [] : template) {
        if (typeof piece === 'object' && piece.kind === 'file') texts.add(resolve(directory, piece.name));
      }
    } else if (Array.isArray(node)) for (const item of node) visit(item, '');
    else if (isPlainObject(node)) for (const [key, member] of Object.entries(node)) visit(member, key);
  };
  visit((await readConfigFile(file, true)).value, '');
  return { texts: [...texts], modules: [...modules] };
}

function pathOf(use: string, directory: string): string {
  return use.startsWith('file:') ? fileURLToPath(use) : resolve(directory, use);
}
