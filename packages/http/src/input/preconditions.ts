import { PatchbayError } from '@patchbay/core';

const list = /^\s*(?:W\/)?"[^"\p{Cc}]*"(?:\s*,\s*(?:W\/)?"[^"\p{Cc}]*")*\s*$/u;
const tags = /(W\/)?"([^"]*)"/g;

type ReadHeader = (name: string) => string | undefined;

/** The entity tag of a revision. */
export function entityTag(revision: number): string {
  return `"${revision}"`;
}

/** Whether `If-None-Match` says that the caller has this revision: weak comparison (RFC 9110, section 13.1.2). */
export function isNotModified(header: ReadHeader, revision: number): boolean {
  const value = header('if-none-match');
  if (value === undefined) return false;
  return value.trim() === '*' || parse(value, 'If-None-Match').some(({ tag }) => tag === String(revision));
}

/**
 * The revision that a write depends on, from `If-Match`: strong comparison (RFC 9110, section 13.1.1), so a weak tag
 * never matches. Of a list, the revision that `current` resolves to has to be one; a single tag needs no look-up. `*`
 * asks for no more than that the resource exists, as every write does.
 *
 * @throws PatchbayError `precondition_failed`, `invalid_request`, and what `current` throws.
 */
export async function requiredRevision(
  header: ReadHeader,
  current: () => Promise<{ readonly revision: number }>,
): Promise<number | undefined> {
  const value = header('if-match');
  if (value === undefined || value.trim() === '*') return undefined;
  const given = parse(value, 'If-Match');
  const [only] = given;
  if (given.length === 1 && only && !only.weak && /^[1-9]\d{0,14}$/.test(only.tag)) return Number(only.tag);
  const { revision } = await current();
  if (given.some(({ weak, tag }) => !weak && tag === String(revision))) return revision;
  throw new PatchbayError('precondition_failed', 'the resource was changed since it was read; read it again');
}

function parse(value: string, header: string): { weak: boolean; tag: string }[] {
  // A long list is a pattern-matching exercise and not a condition.
  if (value.length > 1_000 || !list.test(value)) {
    throw new PatchbayError('invalid_request', `${header} must be * or a list of entity tags such as "1"`);
  }
  return [...value.matchAll(tags)].map(([, weak, tag = '']) => ({ weak: weak !== undefined, tag }));
}
