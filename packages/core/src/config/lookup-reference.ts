import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { errorMessage } from '../base/error-message.ts';
import { PatchbayError } from '../contracts/errors.ts';
import type { Secrets } from '../contracts/secrets.ts';
import type { Lookup } from './interpolate.ts';

export interface LookupSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder that the paths of `${file:path}` are relative to. */
  readonly directory: string;
  /** Undefined where the plugin for secrets has a problem of its own, which is reported then. */
  readonly secrets: Pick<Secrets, 'resolve'> | undefined;
}

/** How environment variables, files and secrets are looked up. */
export function createLookup({ env, directory, secrets }: LookupSources): Lookup {
  return async (reference) => {
    switch (reference.kind) {
      case 'file':
        return await readSecretFile(resolve(directory, reference.name), reference.name);
      case 'secret':
        return await resolveSecret(secrets, reference.name);
      case 'env': {
        const { name, fallback } = reference;
        const value = env[name];
        if (fallback !== undefined) return value === undefined || value === '' ? fallback : value;
        return value ?? { fault: `needs the environment variable ${name}, which is not set` };
      }
    }
  };
}

async function readSecretFile(file: string, name: string): Promise<string | { readonly fault: string }> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file));
    return text.replace(/\r?\n$/, '');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { fault: `needs the file ${name}, which does not exist` };
    const reason = code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not UTF-8' : code;
    return { fault: `needs the file ${name}, which cannot be read: ${reason}` };
  }
}

async function resolveSecret(
  secrets: LookupSources['secrets'],
  name: string,
): Promise<string | { readonly fault: string | undefined }> {
  if (secrets === undefined) return { fault: undefined };
  try {
    return await secrets.resolve(name);
  } catch (error) {
    // By contract, a PatchbayError names no value. Anything else may.
    const reason = PatchbayError.is(error) ? errorMessage(error) : 'the plugin for secrets failed';
    return { fault: `needs the secret ${name}: ${reason}` };
  }
}
