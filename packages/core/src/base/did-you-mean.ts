import { closest, distance } from 'fastest-levenshtein';

const MAX_CHARACTERS = 64;

/**
 * `; did you mean "storage"?` where a known name is near enough to be what was meant, else nothing. Case and separators
 * make no difference.
 *
 * @example
 * ```ts
 * import { didYouMean } from '@patchbay/core';
 *
 * console.log(`unknown option${didYouMean('max_token', ['maxTokens', 'seed'])}`);
 * ```
 */
export function didYouMean(given: string, known: readonly string[]): string {
  // Longer than any name, and clients choose how long.
  if (known.length === 0 || given.length > MAX_CHARACTERS) return '';
  const wanted = plain(given);
  const best = closest(wanted, known.map(plain));
  const name = known.find((candidate) => plain(candidate) === best);
  // Two for a pair of letters that changed places, which counts as two changes.
  const near = distance(wanted, best) <= Math.min(3, Math.floor(Math.min(wanted.length, best.length) / 2));
  return near && name !== undefined && name !== given ? `; did you mean "${name}"?` : '';
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[_\-. ]/g, '');
}
