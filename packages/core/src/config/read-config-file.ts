import { readFile, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorMessage } from '../base/error-message.ts';
import { withTimeout } from '../base/signals.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { ParsedConfig } from './parsed-config.ts';

/** Milliseconds that a config in JavaScript may take to be imported. */
const IMPORT_TIMEOUT_MS = 10_000;

/**
 * @param again It was read before, and may have been changed since.
 * @throws PatchbayError `config_invalid` where the file cannot be read or imported.
 */
export async function readConfigFile(file: string, again = false): Promise<ParsedConfig> {
  switch (extname(file)) {
    // Each parser is loaded when it is needed.
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
      throw new PatchbayError('config_invalid', `${file} is neither YAML, JSON, JavaScript nor TypeScript by its name`);
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
  try {
    const url = pathToFileURL(file);
    // Node imports a URL once.
    if (again) url.hash = `changed=${(await stat(file)).mtimeMs}`;
    const work = import(/* @vite-ignore */ url.href) as Promise<{ default?: unknown }>;
    return (await withTimeout(work, IMPORT_TIMEOUT_MS)).default;
  } catch (cause) {
    const stripsNoTypes = (cause as NodeJS.ErrnoException).code === 'ERR_UNKNOWN_FILE_EXTENSION';
    const reason = stripsNoTypes
      ? 'this Node cannot read TypeScript: use Node 22.18 or newer, or a config in JavaScript'
      : errorMessage(cause);
    throw new PatchbayError('config_invalid', `${file} cannot be imported: ${reason}`, { cause });
  }
}
