import { setImmediate } from 'node:timers/promises';
import { PatchbayError } from '../contracts/errors.ts';
import type { JsonValue } from '../contracts/json.ts';
import { checkJson, type JsonDocument, tooDeep, tooMany } from './check-json.ts';
import { jsonLimits } from './json-limits.ts';
import { JsonSyntaxError, parseInTurns } from './parse-in-turns.ts';
import { scanInTurns } from './scan-json.ts';

/** Parsing more values than this takes too long for one turn of the event loop. */
const VALUES_AT_ONCE = 20_000;

/** Looking at more characters than this, and parsing them, is done in turns of their own. */
const CHARACTERS_AT_ONCE = 524_288;

/** Escapes that a NUL character or a lone surrogate can hide in. */
const suspectEscape = /\\u(?:0000|[dD][89a-fA-F])/;

/**
 * Parse JSON from outside: the one rule for all of it. At most 64 levels and 100,000 values, no number beyond a double,
 * neither NUL characters nor lone surrogates. Of equal names the last one counts; `__proto__` is a name like any other.
 * Large documents are parsed over several turns of the event loop.
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
export async function readJson(text: string, what = 'the body'): Promise<JsonDocument> {
  if (text.trim() === '') throw new PatchbayError('invalid_json', `${what} is empty`);
  const isLong = text.length > CHARACTERS_AT_ONCE;
  if (isLong) await setImmediate();
  const { depth, values, extremeNumbers } = await scanInTurns(text, jsonLimits);
  if (depth > jsonLimits.depth) throw tooDeep();
  if (values > jsonLimits.values) throw tooMany();
  if (isLong) await setImmediate();
  const value = await parse(text, values, what);
  if (isLong) await setImmediate();
  if (extremeNumbers || text.includes('\0') || !text.isWellFormed() || suspectEscape.test(text)) {
    return await checkJson(value, what);
  }
  return { value, values };
}

async function parse(text: string, values: number, what: string): Promise<JsonValue> {
  try {
    return values > VALUES_AT_ONCE ? await parseInTurns(text) : (JSON.parse(text) as JsonValue);
  } catch (cause) {
    throw new PatchbayError('invalid_json', `${what} is not valid JSON${placeOf(cause, text)}`);
  }
}

/** The engine's message quotes the text, which may hold secrets; only the place is passed on. */
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
 * Parse JSON that was checked before it was stored or sent: over several turns of the event loop where it is large.
 *
 * @throws SyntaxError
 *
 * @example
 * ```ts
 * import { parseJson } from '@patchbay/core/storage';
 *
 * export const documentOf = (column: string) => parseJson(column);
 * ```
 */
export async function parseJson(text: string): Promise<JsonValue> {
  // A value has at least one character, and another one beside it.
  const isSmall = text.length <= VALUES_AT_ONCE * 2 || (await scanInTurns(text, jsonLimits)).values <= VALUES_AT_ONCE;
  return isSmall ? (JSON.parse(text) as JsonValue) : await parseInTurns(text);
}
