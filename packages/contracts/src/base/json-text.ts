import { setImmediate } from 'node:timers/promises';
import { PatchbayError } from '../errors.ts';
import type { JsonValue } from '../json.ts';
import {
  checkJson,
  checkShortJson,
  type JsonDocument,
  jsonLimits,
  suspectEscape,
  tooDeep,
  tooMany,
} from './check-json.ts';
import { JsonSyntaxError, parseInTurns } from './parse-in-turns.ts';

/** Parsing more values than this takes too long for one turn of the event loop. */
const VALUES_AT_ONCE = 20_000;

/** Longer strings are scanned and parsed in separate turns. */
const CHARACTERS_AT_ONCE = 524_288;

/** Strings of this length are read in well under a millisecond. */
export const SHORT_JSON = 16_384;

/**
 * Parse JSON from outside, with the same limits everywhere: at most 64 levels and 100,000 values, no number beyond a double,
 * neither NUL characters nor lone surrogates. The last of duplicate names wins; `__proto__` is an ordinary name.
 * Large documents are parsed over several turns of the event loop; the others are returned without a promise.
 *
 * @param what Subject of the messages, such as `the body`.
 * @throws PatchbayError `invalid_json`, `too_deep`, `unsupported_unicode`.
 *
 * @example
 * ```ts
 * import { readJson } from '@patchbay/core';
 *
 * const { value, values } = await readJson('{"a":[1,2]}');
 * console.log(value, values); // { a: [ 1, 2 ] } 4
 * ```
 */
export function readJson(text: string, what = 'the body'): JsonDocument | Promise<JsonDocument> {
  return text.length <= SHORT_JSON ? readShortJson(text, what) : readLongJson(text, what);
}

async function readLongJson(text: string, what: string): Promise<JsonDocument> {
  const isLong = text.length > CHARACTERS_AT_ONCE;
  if (isLong) await setImmediate();
  const shape = isLong ? await scanInTurns(text, jsonLimits) : scanJson(text, jsonLimits);
  checkShape(shape);
  if (isLong) await setImmediate();
  const value = await parse(text, shape.values, what);
  if (isLong) await setImmediate();
  return isSuspect(text, shape) ? await checkJson(value, what) : { value, values: shape.values };
}

/**
 * The same synchronously, for a string of at most `SHORT_JSON` characters: awaiting costs more than parsing a stream
 * event.
 *
 * @throws PatchbayError as `readJson` does.
 */
export function readShortJson(text: string, what = 'the body'): JsonDocument {
  const shape = scanJson(text, jsonLimits);
  checkShape(shape);
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw notJson(cause, text, what);
  }
  return isSuspect(text, shape) ? checkShortJson(value, what) : { value, values: shape.values };
}

function checkShape({ depth, values }: JsonShape): void {
  if (depth > jsonLimits.depth) throw tooDeep();
  if (values > jsonLimits.values) throw tooMany();
}

/** Whether a parsed string may have values that are not accepted anywhere. */
const isSuspect = (text: string, { extremeNumbers }: JsonShape): boolean =>
  extremeNumbers || text.includes('\0') || !text.isWellFormed() || suspectEscape.test(text);

async function parse(text: string, values: number, what: string): Promise<JsonValue> {
  try {
    return values > VALUES_AT_ONCE ? await parseInTurns(text, rememberText) : (JSON.parse(text) as JsonValue);
  } catch (cause) {
    throw notJson(cause, text, what);
  }
}

function notJson(cause: unknown, text: string, what: string): PatchbayError {
  const fault = text.trim() === '' ? 'is empty' : `is not valid JSON${placeOf(cause, text)}`;
  return new PatchbayError('invalid_json', `${what} ${fault}`);
}

/** The engine's message quotes the text, which may contain secrets; only the position is used. */
function placeOf(cause: unknown, text: string): string {
  if (cause instanceof JsonSyntaxError) {
    const before = text.slice(0, cause.index);
    const line = before.split('\n').length;
    return `: see line ${line}, column ${cause.index - before.lastIndexOf('\n')}`;
  }
  const [, line, column] = /line (\d+) column (\d+)/.exec(String(cause)) ?? [];
  if (line !== undefined) return `: see line ${line}, column ${column}`;
  return String(cause).includes('Unexpected end of JSON input') ? ': it ends too early' : '';
}

/**
 * Parse JSON that was checked before it was stored or sent, over several turns of the event loop if it is large.
 *
 * @param depth Maximum depth of the text.
 * @throws SyntaxError
 *
 * @example
 * ```ts
 * import { parseJson } from '@patchbay/core/storage';
 *
 * export const documentOf = (column: string) => parseJson(column);
 * ```
 */
export async function parseJson(text: string, depth: number = jsonLimits.depth): Promise<JsonValue> {
  // A value takes at least one character, and one more next to it.
  if (text.length <= VALUES_AT_ONCE * 2) return JSON.parse(text) as JsonValue;
  const { values } = await scanInTurns(text, { depth, values: VALUES_AT_ONCE });
  return values <= VALUES_AT_ONCE ? (JSON.parse(text) as JsonValue) : await parseInTurns(text, rememberText, depth);
}

/** The size of a JSON text, measured without parsing. Undefined results for text that is not JSON. */
interface JsonShape {
  readonly depth: number;
  readonly values: number;
  /** Has numbers with an exponent, or long enough to overflow a double. */
  readonly extremeNumbers: boolean;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** Every number with this many digits is within the range of a double. */
const SAFE_DIGITS = 300;

/** Characters scanned per turn of the event loop: about 10 ms. */
const CHARACTERS_PER_TURN = 524_288;

interface Bounds {
  readonly depth: number;
  readonly values: number;
}

/** Measure a JSON text. The scan ends early once one of the bounds is exceeded. */
export function scanJson(text: string, bounds: Bounds): JsonShape {
  return advance(startOfScan, text, text.length, bounds);
}

/** The same, over several turns of the event loop if the text is long. */
async function scanInTurns(text: string, bounds: Bounds): Promise<JsonShape> {
  let scan = startOfScan;
  while (!scan.isDone) {
    if (scan.index > 0) await setImmediate();
    scan = advance(scan, text, scan.index + CHARACTERS_PER_TURN, bounds);
  }
  return scan;
}

interface Scan extends JsonShape {
  readonly index: number;
  readonly level: number;
  /** Digits of the number that the text before `index` ends with. */
  readonly digits: number;
  readonly inString: boolean;
  readonly isDone: boolean;
}

const startOfScan: Scan = {
  index: 0,
  level: 0,
  depth: 0,
  values: 1,
  digits: 0,
  inString: false,
  extremeNumbers: false,
  isDone: false,
};

/** Continue a scan up to about `limit`. Local variables: this loop sees each character of each request and response. */
function advance(scan: Scan, text: string, limit: number, bounds: Bounds): Scan {
  const end = Math.min(limit, text.length);
  let { index, level, depth, values, digits, inString, extremeNumbers } = scan;
  for (; index < end; index += 1) {
    if (inString) {
      index = endOfString(text, index, end);
      if (index >= end) break;
      inString = false;
      continue;
    }
    const code = text.charCodeAt(index);
    if (isDigit(code)) {
      digits += 1;
      if (digits > SAFE_DIGITS) extremeNumbers = true;
      continue;
    }
    if (digits > 0 && (code === 0x65 || code === 0x45)) extremeNumbers = true;
    digits = 0;
    if (code === QUOTE) inString = true;
    else if (code === COMMA) values += 1;
    else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      level += 1;
      if (level > depth) depth = level;
      if (!isEmpty(text, index)) values += 1;
    } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) level -= 1;
    else continue;
    if (values > bounds.values || depth > bounds.depth) break;
  }
  const isDone = index >= text.length || index < end;
  return { index, level, depth, values, digits, inString, extremeNumbers, isDone };
}

/** Characters of a string that are read one by one: as many as names have at most. A search costs more to start. */
const CHARACTERS_BEFORE_SEARCH = 32;

/**
 * The index of the quote that ends a string, at or after `end` if there is none before it.
 *
 * @param from Within the string, with no escape open.
 */
function endOfString(text: string, from: number, end: number): number {
  // In a longer text, each turn would search through to the end.
  const canSearch = end === text.length;
  let index = from;
  while (index < end) {
    const near = canSearch ? Math.min(index + CHARACTERS_BEFORE_SEARCH, end) : end;
    for (; index < near; index += 1) {
      const code = text.charCodeAt(index);
      if (code === QUOTE) return index;
      if (code === BACKSLASH) index += 1;
    }
    if (!canSearch) break;
    const quote = text.indexOf('"', index);
    if (quote === -1) return end;
    if (!isEscaped(text, index, quote)) return quote;
    index = quote + 1;
  }
  return index;
}

/** Whether an odd number of backslashes stands before `index`, not counting those before `from`. */
function isEscaped(text: string, from: number, index: number): boolean {
  let first = index;
  while (first > from && text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (index - first) % 2 === 1;
}

/** Whether the container that opens at `start` closes at once. */
function isEmpty(text: string, start: number): boolean {
  let next = start + 1;
  while (isSpace(text.charCodeAt(next))) next += 1;
  const first = text.charCodeAt(next);
  return first === CLOSE_ARRAY || first === CLOSE_OBJECT;
}

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
