import { type ErrorDetail, PatchbayError } from '@patchbay/core';

/** Bounds of every JSON document that callers send. */
const jsonLimits = { depth: 64, nodes: 100_000 } as const;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A document within the bounds, and how many values it has. */
export interface JsonDocument {
  readonly value: unknown;
  readonly nodes: number;
}

/**
 * Parse a body. A byte order mark is skipped; of equal keys the last one counts; `__proto__` is a key like any other.
 *
 * @throws PatchbayError `invalid_json`, `too_deep`, `unsupported_unicode`.
 */
export function parseJson(bytes: Uint8Array): JsonDocument {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch (cause) {
    throw new PatchbayError('invalid_json', 'the body is not valid UTF-8', { cause });
  }
  if (text.trim() === '') throw new PatchbayError('invalid_json', 'the body is empty');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    // The engine's message quotes the body, which may hold secrets; only the place is passed on.
    const [, line, column] = /line (\d+) column (\d+)/.exec(String(cause)) ?? [];
    const atEnd = String(cause).includes('Unexpected end of JSON input') ? ': it ends too early' : '';
    const place = line === undefined ? atEnd : `: see line ${line}, column ${column}`;
    throw new PatchbayError('invalid_json', `the body is not valid JSON${place}`);
  }
  const nodes = measure(value);
  // Neither a NUL nor a lone surrogate can be in valid UTF-8 JSON other than as an escape.
  if (text.includes('\\u')) checkText(value);
  return { value, nodes };
}

/** The same bounds for a body that a parser of the host has read. */
export function checkParsed(value: unknown): JsonDocument {
  const nodes = measure(value);
  checkText(value);
  return { value, nodes };
}

/** Level by level and without recursion, so that a document of a million brackets is refused and not walked. */
function measure(root: unknown): number {
  let nodes = 1;
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value === 'number' && !Number.isFinite(value)) {
        throw new PatchbayError('invalid_json', 'the body has a number that is too large for a double');
      }
      if (typeof value !== 'object' || value === null) continue;
      if (depth === jsonLimits.depth)
        throw new PatchbayError('too_deep', `at most ${jsonLimits.depth} levels are accepted`);
      const children = Array.isArray(value) ? value : Object.values(value);
      nodes += children.length;
      if (nodes > jsonLimits.nodes)
        throw new PatchbayError('too_deep', `at most ${jsonLimits.nodes} values are accepted`);
      for (const child of children) next.push(child);
    }
    level = next;
  }
  return nodes;
}

const MAX_FAULTS = 50;

/** Recursion is safe here: the depth was measured before. */
function checkText(root: unknown): void {
  const errors: ErrorDetail[] = [];
  const visit = (value: unknown, pointer: string): void => {
    if (errors.length === MAX_FAULTS) return;
    if (typeof value === 'string') note(value, pointer);
    else if (Array.isArray(value)) for (const [index, child] of value.entries()) visit(child, `${pointer}/${index}`);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, child] of Object.entries(value)) {
        if (note(key, `${pointer}/…`)) visit(child, pointerTo(pointer, key));
      }
    }
  };
  const note = (text: string, pointer: string): boolean => {
    const detail = text.includes('\0')
      ? 'has a NUL character'
      : text.isWellFormed()
        ? undefined
        : 'has a lone surrogate';
    if (detail !== undefined && errors.length < MAX_FAULTS)
      errors.push({ pointer, code: 'unsupported_unicode', detail });
    return detail === undefined;
  };
  visit(root, '');
  if (errors.length > 0) {
    throw new PatchbayError('unsupported_unicode', 'NUL characters and lone surrogates cannot be stored', { errors });
  }
}

/** A JSON Pointer (RFC 6901) one step further. */
export function pointerTo(pointer: string, key: string): string {
  return `${pointer}/${key.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
