import { hasUnsupportedUnicode, jsonLimits } from '@patchbay/contracts/base/check-json';
import type { JsonObject, JsonValue } from '@patchbay/contracts/json';

/**
 * Parse a partial JSON object: strings may be truncated, the last member may be missing, numbers and literals
 * appear only when they are complete. Text around the object is ignored. Undefined before it begins, and if it is not
 * JSON.
 */
export function partialObject(text: string): JsonObject | undefined {
  const start = text.indexOf('{');
  if (start === -1) return undefined;
  let closers = '';
  // The complete prefix, and the brackets that would close it.
  let whole = '';
  const mark = (end: number): void => {
    whole = text.slice(start, end) + closers;
  };
  for (let at = start; at < text.length; at += 1) {
    const character = text[at] as string;
    if (character === '"') {
      const { end, closed } = readString(text, at);
      if (!closed) return parse(`${text.slice(start, end)}"${closers}`) ?? parse(whole);
      at = end;
    } else if (character === ',') mark(at);
    else if ('{['.includes(character)) {
      closers = (character === '{' ? '}' : ']') + closers;
      if (closers.length > jsonLimits.depth) return undefined;
      mark(at + 1);
    } else if ('}]'.includes(character)) {
      closers = closers.slice(1);
      mark(at + 1);
      if (closers === '') return parse(whole);
    }
  }
  // A number or a literal is complete only when something follows it.
  const isOpen = /[\w.+-]$/.test(text);
  return (isOpen ? undefined : parse(text.slice(start) + closers)) ?? parse(whole);
}

/** Whether an object only grew, so that previous deltas remain valid. */
export function isGrown(now: JsonValue | undefined, before: JsonValue | undefined): boolean {
  if (before === undefined) return true;
  if (typeof before === 'string') return typeof now === 'string' && now.startsWith(before);
  if (typeof before !== 'object' || before === null) return now === before;
  if (typeof now !== 'object' || now === null || Array.isArray(now) !== Array.isArray(before)) return false;
  const grown = now as Readonly<Record<string, JsonValue>>;
  return Object.entries(before).every(([name, value]) => Object.hasOwn(grown, name) && isGrown(grown[name], value));
}

/** End of the string that begins at `start`: its quote, or else the last complete character. */
function readString(text: string, start: number): { readonly end: number; readonly closed: boolean } {
  let at = start + 1;
  // The first half of a surrogate pair in escapes.
  let half: number | undefined;
  while (at < text.length) {
    const character = text[at];
    if (character === '"') return { end: at, closed: true };
    const length = character === '\\' ? (text[at + 1] === 'u' ? 6 : 2) : 1;
    if (at + length > text.length) break;
    const isHalf = /^(?:\\u[dD][89abAB]|[\ud800-\udbff])/.test(text.slice(at, at + length));
    half = isHalf ? at : undefined;
    at += length;
  }
  return { end: half ?? Math.min(at, text.length), closed: false };
}

function parse(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as JsonObject;
    return hasUnsupportedUnicode(JSON.stringify(value)) ? undefined : value;
  } catch {
    return undefined;
  }
}
