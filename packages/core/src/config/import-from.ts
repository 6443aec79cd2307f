import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { moduleResolve } from 'import-meta-resolve';

/**
 * The URL of a module as a file in another folder would import it: `import.meta.resolve` takes no other folder without
 * a flag of Node.
 *
 * @param base Folder, or `file:` URL of a module in it.
 * @throws Error with the codes of Node, such as `ERR_MODULE_NOT_FOUND`.
 */
export function resolveFrom(base: string, specifier: string): string {
  const parent = base.startsWith('file:') ? new URL(base) : pathToFileURL(`${base}/patchbay.config.js`);
  return moduleResolve(specifier, parent, importConditions()).href;
}

/** Conditions of `exports` that this process imports with: `--conditions` must hold for plugins as well. */
function importConditions(): Set<string> {
  const { values } = parseArgs({
    args: [...(process.env['NODE_OPTIONS'] ?? '').split(' '), ...process.execArgv],
    options: { conditions: { type: 'string', short: 'C', multiple: true } },
    strict: false,
  });
  return new Set(['node', 'import', ...(values.conditions ?? []).filter((name) => typeof name === 'string')]);
}
