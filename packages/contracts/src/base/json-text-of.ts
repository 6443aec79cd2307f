// Shared by all copies of this package in a process. Not enumerable: neither copies nor comparisons see it.
const textKey = Symbol.for('patchbay.json-text');

/** Depth at which a cached text is searched: that of arguments in a model request. */
const LEVELS = 6;

/** Maximum number of items and members to search. */
const BREADTH = 1_000;

/** Make `jsonTextOf` return this text for a document, which must not be modified afterwards. */
export function rememberText(document: object, text: string): void {
  Object.defineProperty(document, textKey, { value: text });
}

/**
 * The JSON text of a value, as `JSON.stringify` returns it. Documents that were parsed from a large text and not
 * modified since keep that text, so that storing and returning them does not block the event loop.
 *
 * @example
 * ```ts
 * import { jsonTextOf } from '@patchbay/core';
 *
 * console.log(jsonTextOf({ a: [1, 2] })); // {"a":[1,2]}
 * ```
 */
export function jsonTextOf(value: unknown): string {
  return hasText(value, LEVELS) ? composed(value, LEVELS) : JSON.stringify(value);
}

/** Whether a value or a part of it has a cached text. Most do not: the search allocates nothing. */
function hasText(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (textOf(value) !== undefined) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && index < BREADTH; index += 1) {
      if (hasText(value[index], levels - 1)) return true;
    }
    return false;
  }
  let members = 0;
  for (const name in value) {
    members += 1;
    if (members > BREADTH) return false;
    if (memberHasText(value, name, levels - 1)) return true;
  }
  return false;
}

// A separate function: if the loop over names read the member itself, V8 would expect shapes that it has seen before,
// and recompile the loop for each of the many others.
function memberHasText(value: object, name: string, levels: number): boolean {
  return hasText((value as Readonly<Record<string, unknown>>)[name], levels);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null ? (value as { readonly [textKey]?: string })[textKey] : undefined;
}

/** The text of a value that contains a cached text. */
function composed(value: unknown, levels: number): string {
  const kept = textOf(value);
  if (kept !== undefined) return kept;
  if ('toJSON' in (value as object)) return JSON.stringify(value);
  const textOfMember = (member: unknown): string | undefined =>
    hasText(member, levels - 1) ? composed(member, levels - 1) : (JSON.stringify(member) as string | undefined);
  if (Array.isArray(value)) return `[${value.map((item) => textOfMember(item) ?? 'null').join()}]`;
  const pieces = Object.entries(value as object).flatMap(([name, member]) => {
    const text = textOfMember(member);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return `{${pieces.join()}}`;
}
