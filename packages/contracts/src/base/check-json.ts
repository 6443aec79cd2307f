import { setImmediate } from 'node:timers/promises';
import { type ErrorDetail, PatchbayError } from '../errors.ts';
import type { JsonValue } from '../json.ts';
import { memberPointer, shownPointer } from './json-pointer.ts';

/**
 * The bounds of every JSON document from outside: request bodies, function calls, outputs, provider responses. Size
 * limits in bytes differ between sources; these do not.
 */
export const jsonLimits = {
  /** Levels of arrays and objects. Deeper documents overflow the stack of recursive code. */
  depth: 64,
  /** Values, counting the root, every item and every member. */
  values: 100_000,
} as const;

/** A document within the bounds, and how many values it has. */
export interface JsonDocument {
  readonly value: JsonValue;
  readonly values: number;
}

const MAX_FAULTS = 50;

const VALUES_PER_TURN = 10_000;

/**
 * Check a document that was parsed elsewhere against the limits of `readJson`.
 *
 * @throws PatchbayError `invalid_json`, `too_deep`, `unsupported_unicode`.
 *
 * @example
 * ```ts
 * import { checkJson } from '@patchbay/core';
 *
 * const { values } = await checkJson({ a: [1, 2] });
 * console.log(values); // 4
 * ```
 */
export async function checkJson(value: unknown, what = 'the body'): Promise<JsonDocument> {
  const steps = check(value, what);
  for (;;) {
    const { done, value: values } = steps.next();
    if (done) return { value: value as JsonValue, values };
    await setImmediate();
  }
}

/** The same synchronously, for a document that was short as a string. */
export function checkShortJson(value: unknown, what: string): JsonDocument {
  const steps = check(value, what);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return { value: value as JsonValue, values: step.value };
}

/** Yields to the event loop periodically. The depth is checked first, so the recursion is bounded. */
function* check(root: unknown, what: string): Generator<number, number> {
  const errors: ErrorDetail[] = [];
  let values = 1;

  const note = (text: string, pointer: string): boolean => {
    const detail = text.includes('\0')
      ? 'has a NUL character'
      : text.isWellFormed()
        ? undefined
        : 'has a lone surrogate';
    if (detail === undefined) return true;
    errors.push({ pointer: shownPointer(pointer), code: 'unsupported_unicode', detail });
    return false;
  };
  const count = (): boolean => {
    values += 1;
    if (values > jsonLimits.values) throw tooMany();
    return values % VALUES_PER_TURN === 0;
  };
  function* visit(value: unknown, pointer: string, depth: number): Generator<number, void> {
    if (errors.length >= MAX_FAULTS) return;
    if (typeof value === 'string') note(value, pointer);
    else if (typeof value === 'number' && !Number.isFinite(value)) {
      throw new PatchbayError('invalid_json', `${what} contains a number that is too large for a double`);
    }
    if (typeof value !== 'object' || value === null) return;
    if (depth === jsonLimits.depth) throw tooDeep();
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index += 1) {
        if (count()) yield values;
        const child: unknown = value[index];
        if (isContainer(child)) yield* visit(child, `${pointer}/${index}`, depth + 1);
        else if (isSuspect(child)) visit(child, `${pointer}/${index}`, depth + 1).next();
      }
      return;
    }
    // `Object.entries` of 100,000 members takes several times as long.
    for (const name in value) {
      if (!Object.hasOwn(value, name)) continue;
      if (count()) yield values;
      const child = (value as Readonly<Record<string, unknown>>)[name];
      if (!note(name, `${pointer}/…`)) continue;
      if (isContainer(child)) yield* visit(child, memberPointer(pointer, name), depth + 1);
      else if (isSuspect(child)) visit(child, memberPointer(pointer, name), depth + 1).next();
    }
  }

  yield* visit(root, '', 0);
  if (errors.length > 0) {
    throw new PatchbayError('unsupported_unicode', 'NUL characters and lone surrogates cannot be stored', {
      errors: errors.slice(0, MAX_FAULTS),
    });
  }
  return values;
}

const isContainer = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** A scalar that must be checked; pointers of others are not computed. */
const isSuspect = (value: unknown): boolean =>
  typeof value === 'string' ? value.includes('\0') || !value.isWellFormed() : !Number.isFinite(value ?? 0);

export const tooDeep = (): PatchbayError =>
  new PatchbayError('too_deep', `at most ${jsonLimits.depth} levels are accepted`);

export const tooMany = (): PatchbayError =>
  new PatchbayError('too_deep', `at most ${jsonLimits.values} values are accepted`);

/** Escapes that a NUL character or a lone surrogate can hide in. */
export const suspectEscape = /\\u(?:0000|[dD][89a-fA-F])/;

/**
 * Whether a JSON text contains a NUL character or a lone surrogate in a string. Not every store supports them, so they are
 * rejected everywhere.
 */
export function hasUnsupportedUnicode(text: string): boolean {
  if (text.includes('\0') || !text.isWellFormed()) return true;
  if (!suspectEscape.test(text)) return false;
  // There are escapes of that kind: decide on the decoded strings, where `\\u0000` is a backslash and five characters.
  let found = false;
  JSON.parse(text, (key: string, value: unknown) => {
    if (isUnsupported(key) || (typeof value === 'string' && isUnsupported(value))) found = true;
    return value;
  });
  return found;
}

const isUnsupported = (value: string): boolean => value.includes('\0') || !value.isWellFormed();
