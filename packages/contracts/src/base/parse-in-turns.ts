import { setImmediate } from 'node:timers/promises';
import type { JsonValue } from '../json.ts';
import { jsonLimits } from './check-json.ts';

/** Values parsed per turn of the event loop: about 5 ms with distinct names. */
const VALUES_PER_TURN = 5_000;

const REMEMBERED_LENGTH = 65_536;

/** Levels of the document whose text may be remembered: as deep as the arguments of a call within a chat. */
const REMEMBERED_LEVELS = 6;

export class JsonSyntaxError extends SyntaxError {
  readonly index: number;

  constructor(index: number) {
    super('the text is not JSON');
    this.index = index;
  }
}

interface OpenContainer {
  readonly value: JsonValue[] | Record<string, JsonValue>;
  readonly start: number;
  name: string;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const space = /[ \t\n\r]*/y;
const literals: ReadonlyMap<string, readonly [string, JsonValue]> = new Map([
  ['t', ['true', true]],
  ['f', ['false', false]],
  ['n', ['null', null]],
]);

/**
 * Parse a large JSON text like `JSON.parse`, several thousand values per turn of the event loop.
 *
 * @param remember Receives large containers with their text.
 * @throws JsonSyntaxError
 */
export async function parseInTurns(
  text: string,
  remember: (container: object, text: string) => void,
  depth: number = jsonLimits.depth,
): Promise<JsonValue> {
  const open: OpenContainer[] = [];
  let index = 0;
  let budget = VALUES_PER_TURN;

  const fail = (): never => {
    throw new JsonSyntaxError(index);
  };
  const skipSpace = (): void => {
    const code = text.charCodeAt(index);
    if (code > 0x20) return;
    space.lastIndex = index;
    space.test(text);
    index = space.lastIndex;
  };
  const readString = (): string => {
    const start = index;
    if (text.charCodeAt(start) !== 0x22) return fail();
    const end = endOfString(text, start);
    const raw = text.slice(start, end + 1);
    try {
      // The platform checks the text and resolves escapes.
      const value = JSON.parse(raw) as string;
      index = end + 1;
      return value;
    } catch {
      return fail();
    }
  };
  const readNumber = (): number => {
    number.lastIndex = index;
    const [digits] = number.exec(text) ?? [];
    if (digits === undefined) return fail();
    index += digits.length;
    return Number(digits);
  };
  const readLiteral = (): JsonValue => {
    const [word, value] = literals.get(text[index] ?? '') ?? ['', null];
    if (word === '' || !text.startsWith(word, index)) return fail();
    index += word.length;
    return value;
  };
  const readName = (container: OpenContainer): void => {
    skipSpace();
    container.name = readString();
    skipSpace();
    if (text[index] !== ':') fail();
    index += 1;
  };

  for (;;) {
    budget -= 1;
    if (budget === 0) {
      budget = VALUES_PER_TURN;
      await setImmediate();
    }
    skipSpace();
    let value: JsonValue;
    const first = text[index];
    if (first === '{' || first === '[') {
      const container: OpenContainer = { value: first === '{' ? {} : [], start: index, name: '' };
      index += 1;
      skipSpace();
      if (text[index] !== (first === '{' ? '}' : ']')) {
        if (open.length >= depth) fail();
        open.push(container);
        if (first === '{') readName(container);
        continue;
      }
      index += 1;
      value = container.value;
    } else if (first === '"') value = readString();
    else if (first === 't' || first === 'f' || first === 'n') value = readLiteral();
    else value = readNumber();

    // The value is complete: put it into its container, which may be complete with it.
    for (;;) {
      const container = open.at(-1);
      skipSpace();
      if (container === undefined) {
        if (index !== text.length) fail();
        // The caller continues in a new turn of the event loop.
        await setImmediate();
        return value;
      }
      if (Array.isArray(container.value)) container.value.push(value);
      else put(container.value, container.name, value);
      const next = text[index];
      index += 1;
      if (next === ',') {
        if (!Array.isArray(container.value)) readName(container);
        break;
      }
      if (next !== (Array.isArray(container.value) ? ']' : '}')) {
        index -= 1;
        fail();
      }
      open.pop();
      value = container.value;
      if (open.length < REMEMBERED_LEVELS && index - container.start >= REMEMBERED_LENGTH) {
        await setImmediate();
        remember(container.value, withoutSpace(text.slice(container.start, index)));
      }
    }
  }
}

function put(object: Record<string, JsonValue>, name: string, value: JsonValue): void {
  if (name !== '__proto__') object[name] = value;
  // An assignment would set the prototype.
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

/** Index of the quote that closes the string whose quote is at `start`; the length of the text where there is none. */
function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) return index;
    if (code === BACKSLASH) index += 1;
  }
  return text.length;
}

/** A JSON text without the white space between its tokens. */
export function withoutSpace(text: string): string {
  const pieces: string[] = [];
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = endOfString(text, index);
    else if (isSpace(code)) {
      if (index > start) pieces.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return start === 0 ? text : pieces.join('') + text.slice(start);
}
