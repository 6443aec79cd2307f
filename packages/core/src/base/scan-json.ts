import { setImmediate } from 'node:timers/promises';

/** What a JSON text holds, found without parsing it. Of a text that is not JSON, the numbers mean nothing. */
export interface JsonShape {
  readonly depth: number;
  readonly values: number;
  /** Has numbers with an exponent, or so long that they may be too large for a double. */
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

/** Digits that every number of a double can have. */
const SAFE_DIGITS = 300;

/** Characters that are looked at in one turn of the event loop: some 10 ms. */
const CHARACTERS_PER_TURN = 524_288;

interface Bounds {
  readonly depth: number;
  readonly values: number;
}

/** Measure a JSON text. The scan ends early once one of the bounds is exceeded. */
export function scanJson(text: string, bounds: Bounds): JsonShape {
  const scan = startOfScan();
  advance(scan, text, text.length, bounds);
  return scan;
}

/** The same over several turns of the event loop, where the text is long. */
export async function scanInTurns(text: string, bounds: Bounds): Promise<JsonShape> {
  const scan = startOfScan();
  while (!scan.isDone) {
    if (scan.index > 0) await setImmediate();
    advance(scan, text, scan.index + CHARACTERS_PER_TURN, bounds);
  }
  return scan;
}

interface Scan {
  index: number;
  level: number;
  depth: number;
  values: number;
  /** Digits of the number that the text before `index` ends with. */
  digits: number;
  inString: boolean;
  extremeNumbers: boolean;
  isDone: boolean;
}

const startOfScan = (): Scan => ({
  index: 0,
  level: 0,
  depth: 0,
  values: 1,
  digits: 0,
  inString: false,
  extremeNumbers: false,
  isDone: false,
});

/** Continue a scan up to about `limit`. */
function advance(scan: Scan, text: string, limit: number, bounds: Bounds): void {
  const end = Math.min(limit, text.length);
  let { index, inString, digits } = scan;
  for (; index < end; index += 1) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === BACKSLASH) index += 1;
      else if (code === QUOTE) inString = false;
      continue;
    }
    if (isDigit(code)) {
      digits += 1;
      if (digits > SAFE_DIGITS) scan.extremeNumbers = true;
      continue;
    }
    if (digits > 0 && (code === 0x65 || code === 0x45)) scan.extremeNumbers = true;
    digits = 0;
    if (code === QUOTE) inString = true;
    else if (code === COMMA) scan.values += 1;
    else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      scan.level += 1;
      scan.depth = Math.max(scan.depth, scan.level);
      if (!isEmpty(text, index)) scan.values += 1;
    } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) scan.level -= 1;
    else continue;
    if (scan.values > bounds.values || scan.depth > bounds.depth) break;
  }
  scan.isDone = index >= text.length || index < end;
  Object.assign(scan, { index, inString, digits });
}

/** Whether the container that opens at `start` closes at once. */
function isEmpty(text: string, start: number): boolean {
  let next = start + 1;
  while (isSpace(text.charCodeAt(next))) next += 1;
  const first = text.charCodeAt(next);
  return first === CLOSE_ARRAY || first === CLOSE_OBJECT;
}

/** Index of the quote that closes the string whose quote is at `start`; the length of the text where there is none. */
export function endOfString(text: string, start: number): number {
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
