import { closest, distance } from 'fastest-levenshtein';
import type { Storage } from '../storage.ts';
import { type FunctionCaller, reachesFunction } from './stored-rows.ts';

const word = /[\p{L}\p{N}]+/gu;

/**
 * The name of a function as an identifier: `Summarize Text` is `summarizeText`. Empty if a name has no letters and
 * no digits.
 */
export function nameKey(name: string): string {
  const [first = '', ...others] = name.match(word) ?? [];
  return [first.charAt(0).toLowerCase() + first.slice(1), ...others.map(capitalized)].join('');
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Whether a name matches a pattern in which `*` matches any characters. */
export function fitsGlob(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first)) return false;
  let place = first.length;
  // The leftmost match of each part leaves the most room for the others, so no backtracking is needed.
  for (const part of rest) {
    const found = name.indexOf(part, place);
    if (found === -1) return false;
    place = found + part.length;
  }
  return name.length - last.length >= place && name.endsWith(last);
}

const MAX_CHARACTERS = 64;

/**
 * `; did you mean "storage"?` if a known name is similar enough, else an empty string. Case and separators
 * are ignored.
 *
 * @example
 * ```ts
 * import { didYouMean } from '@patchbay/core';
 *
 * console.log(`unknown option${didYouMean('max_token', ['maxTokens', 'seed'])}`);
 * ```
 */
export function didYouMean(given: string, known: readonly string[]): string {
  // Longer than any name; clients control the length.
  if (known.length === 0 || given.length > MAX_CHARACTERS) return '';
  const wanted = plain(given);
  const best = closest(wanted, known.map(plain));
  const name = known.find((candidate) => plain(candidate) === best);
  // A transposition counts as two changes.
  const near = distance(wanted, best) <= Math.min(3, Math.floor(Math.min(wanted.length, best.length) / 2));
  return near && name !== undefined && name !== given ? `; did you mean "${name}"?` : '';
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[_\-. ]/g, '');
}

/** Maximum number of names to compare: those of the newest functions. */
const LOOKED_AT = 100;
const SHOWN = 3;

/** The names of stored functions similar to a mistaken one, the most similar first. */
export async function nearestNames(storage: Storage, caller: FunctionCaller, name: string): Promise<readonly string[]> {
  const query = { sort: 'createdAt', order: 'desc', limit: LOOKED_AT, select: ['id', 'name', 'createdAt'] } as const;
  const { rows } = await storage.list(caller.tenant, 'functions', query);
  const given = nameKey(name).toLowerCase();
  return rows
    .filter(({ id }) => reachesFunction(caller, id))
    .map((row) => ({ name: row.name, distance: distance(given, nameKey(row.name).toLowerCase()) }))
    .filter((candidate) => candidate.distance <= longestDistance(given))
    .sort((one, other) => one.distance - other.distance)
    .slice(0, SHOWN)
    .map((candidate) => candidate.name);
}

/** A third of the name, and at least two letters; but less than half of it, or all short names would be near. */
function longestDistance({ length }: string): number {
  return Math.min(Math.max(2, Math.floor(length / 3)), Math.ceil(length / 2) - 1);
}
