// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the messages are about just that
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { errorMessage } from '@patchbay/contracts/base/error-message';
import { didYouMean } from '@patchbay/contracts/base/names';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { Secrets } from '@patchbay/contracts/secrets';
import { type ConfigPath, isPlainObject, pathPointer } from './config-path.ts';
import type { ConfigProblem } from './config-problem.ts';

/** Finds the text of a reference; an object if there is none, with a message unless it is reported elsewhere. */
type Lookup = (reference: Reference) => Promise<string | { readonly fault: string | undefined }>;

export interface Interpolated {
  readonly value: unknown;
  /** The references in each string that was filled in, by JSON Pointer. */
  readonly references: ReadonlyMap<string, readonly Reference[]>;
  /** Pointers of the strings that could not be filled in. */
  readonly unfilled: ReadonlySet<string>;
  readonly problems: readonly ConfigProblem[];
}

/**
 * Interpolate the references in the strings of a config. Works on values, never on the text of the file, so that an
 * interpolated string cannot change the structure. Keys are not interpolated, and results are not interpolated again.
 *
 * @param at Where the value is in the config.
 */
export async function interpolate(value: unknown, lookup: Lookup, at: ConfigPath = []): Promise<Interpolated> {
  const references = new Map<string, readonly Reference[]>();
  const unfilled = new Set<string>();
  const problems: ConfigProblem[] = [];

  const refuse = (path: ConfigPath, code: string, message: string | undefined): string => {
    unfilled.add(pathPointer(path));
    if (message !== undefined) problems.push({ path, code, message });
    return '';
  };
  const fill = async (text: string, path: ConfigPath): Promise<string> => {
    const template = parseTemplate(text);
    if ('fault' in template) return refuse(path, 'invalid_interpolation', template.fault);
    const found = template.filter((piece) => typeof piece === 'object');
    if (found.length > 0) references.set(pathPointer(path), found);
    const pieces = template.map(async (piece) => {
      const filled = typeof piece === 'string' ? piece : await lookup(piece);
      return typeof filled === 'string' ? filled : refuse(path, 'unresolved', filled.fault);
    });
    return (await Promise.all(pieces)).join('');
  };
  const visit = async (node: unknown, path: ConfigPath): Promise<unknown> => {
    if (typeof node === 'string') return node.includes('${') ? await fill(node, path) : node;
    if (Array.isArray(node)) return await Promise.all(node.map((item, index) => visit(item, [...path, index])));
    if (!isPlainObject(node)) return node;
    const members = Object.entries(node).map(async ([name, member]) => [name, await visit(member, [...path, name])]);
    return Object.fromEntries(await Promise.all(members));
  };
  const filled = await visit(value, at);
  return { value: filled, references, unfilled, problems };
}

/** One `${...}` in a string. */
export type Reference =
  | { readonly kind: 'env'; readonly name: string; readonly fallback?: string }
  | { readonly kind: 'file' | 'secret'; readonly name: string };

type Template = readonly (string | Reference)[];

/** Split a string at its `${...}`; an error message if that fails. `$${` is a literal `${`. */
export function parseTemplate(text: string): Template | { readonly fault: string } {
  const pieces: (string | Reference)[] = [];
  let rest = text;
  for (;;) {
    const start = rest.indexOf('${');
    if (start < 0) return [...pieces, rest].filter((piece) => piece !== '');
    if (rest[start - 1] === '$') {
      pieces.push(`${rest.slice(0, start - 1)}\${`);
      rest = rest.slice(start + 2);
      continue;
    }
    const end = rest.indexOf('}', start);
    if (end < 0) return { fault: 'has a "${" without its "}"; a plain "${" is written "$${"' };
    const reference = parseReference(rest.slice(start + 2, end));
    if ('fault' in reference) return reference;
    pieces.push(rest.slice(0, start), reference);
    rest = rest.slice(end + 1);
  }
}

function parseReference(inner: string): Reference | { readonly fault: string } {
  const [, name, , fallback] = /^([A-Za-z_]\w*)(:-(.*))?$/s.exec(inner) ?? [];
  if (name !== undefined) return { kind: 'env', name, ...(fallback !== undefined && { fallback }) };
  const [, kind, argument] = /^(\w+):([^-].*)$/s.exec(inner) ?? [];
  if (kind === 'file' || kind === 'secret') return { kind, name: argument ?? '' };
  const hint = kind === undefined ? '' : didYouMean(kind, ['file', 'secret']);
  return {
    fault: `has a "\${...}" that is none of \${NAME}, \${NAME:-default}, \${file:path} and \${secret:name}${hint}`,
  };
}

interface LookupSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder that the paths of `${file:path}` are relative to. */
  readonly directory: string;
  /** Undefined if the plugin for secrets has a problem itself, which is reported. */
  readonly secrets: Pick<Secrets, 'resolve'> | undefined;
}

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
