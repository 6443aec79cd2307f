import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorMessage } from '@patchbay/contracts/base/error-message';
import { withTimeout } from '@patchbay/contracts/base/signals';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { ParsedConfig } from './config-problem.ts';
import { placeOfFailedImport } from './place-of-throw.ts';

const IMPORT_TIMEOUT_MS = 10_000;

/**
 * @param again It was read before, and may have been changed since.
 * @throws PatchbayError `config_invalid` if the file cannot be read or imported.
 */
export async function readConfigFile(file: string, again = false): Promise<ParsedConfig> {
  switch (extname(file)) {
    // Each parser is loaded on demand.
    case '.json': {
      const { parseJson } = await import('./parse-json.ts');
      return parseJson(await readText(file));
    }
    case '.yaml':
    case '.yml': {
      const { parseYaml } = await import('./parse-yaml.ts');
      return parseYaml(await readText(file));
    }
    case '.js':
    case '.mjs':
    case '.ts':
    case '.mts':
      return { value: await importConfig(file, again), places: new Map(), problems: [] };
    default:
      throw new PatchbayError(
        'config_invalid',
        `${file} does not have an extension of YAML, JSON, JavaScript or TypeScript`,
      );
  }
}

async function readText(file: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(file));
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? '';
    const reason = code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not UTF-8' : errorMessage(cause);
    throw new PatchbayError('config_invalid', `${file} cannot be read: ${reason}`, { cause });
  }
}

async function importConfig(file: string, again: boolean): Promise<unknown> {
  const url = pathToFileURL(file);
  try {
    // Node imports a URL once.
    if (again) url.hash = `changed=${(await stat(file)).mtimeMs}`;
    const work = import(/* @vite-ignore */ url.href) as Promise<{ default?: unknown }>;
    return (await withTimeout(work, IMPORT_TIMEOUT_MS)).default;
  } catch (cause) {
    const stripsNoTypes = (cause as NodeJS.ErrnoException).code === 'ERR_UNKNOWN_FILE_EXTENSION';
    const reason = stripsNoTypes
      ? 'this Node cannot read TypeScript: use Node 22.18 or newer, or a config in JavaScript'
      : `${await placeOfFailedImport(cause, url.href, dirname(file))}${errorMessage(cause)}`;
    throw new PatchbayError('config_invalid', `${file} cannot be imported: ${reason}`, { cause });
  }
}

const extensions = ['yaml', 'yml', 'json', 'js', 'mjs', 'ts', 'mts'] as const;

/**
 * The config file: the one that is named, or the only `patchbay.config.*` of the folder.
 *
 * @throws PatchbayError `config_invalid` if there is none, or more than one.
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
