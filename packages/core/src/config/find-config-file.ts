import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { PatchbayError } from '../contracts/errors.ts';

const extensions = ['yaml', 'yml', 'json', 'js', 'mjs', 'ts', 'mts'] as const;

/**
 * The config file: the one that is named, or the only `patchbay.config.*` of the folder.
 *
 * @throws PatchbayError `config_invalid` where there is none, or more than one.
 */
export function findConfigFile(directory: string, named?: string): string {
  if (named !== undefined) {
    const file = resolve(directory, named);
    if (existsSync(file)) return file;
    throw notFound(`${file} does not exist`);
  }
  const names = extensions.map((extension) => `patchbay.config.${extension}`);
  const found = names.filter((name) => existsSync(resolve(directory, name)));
  const [name, ...others] = found;
  if (name === undefined) throw notFound(`there is no patchbay.config.yaml (or .json, .js, .ts) in ${directory}`);
  if (others.length === 0) return resolve(directory, name);
  const message = `there is more than one config file in ${directory}: ${found.join(', ')}; name the one to use`;
  throw new PatchbayError('config_invalid', message, {
    errors: found.map((one) => ({ pointer: '', code: 'ambiguous_config', detail: `${one} is one of several` })),
  });
}

function notFound(message: string): PatchbayError {
  return new PatchbayError('config_invalid', message, {
    errors: [{ pointer: '', code: 'config_not_found', detail: message }],
  });
}
