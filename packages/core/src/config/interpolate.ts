import { type ConfigPath, isPlainObject, pathPointer } from './config-path.ts';
import type { ConfigProblem } from './config-problem.ts';
import { parseTemplate, type Reference } from './template.ts';

/**
 * Finds what a reference stands for; an object where it stands for nothing, with the message of what is wrong unless
 * that is reported elsewhere.
 */
export type Lookup = (reference: Reference) => Promise<string | { readonly fault: string | undefined }>;

export interface Interpolated {
  readonly value: unknown;
  /** What each text that was put together came from, by JSON Pointer. */
  readonly references: ReadonlyMap<string, readonly Reference[]>;
  /** Pointers of the texts that could not be put together. */
  readonly unfilled: ReadonlySet<string>;
  readonly problems: readonly ConfigProblem[];
}

/**
 * Put the texts of a config together. Works on values, never on the text of the file, so that nothing that is filled
 * in can change the structure. Keys are left alone, and what is filled in is not looked at again.
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
