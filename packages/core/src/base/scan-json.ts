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

/** Measure a JSON text. The scan ends early once one of the bounds is exceeded. */
export function scanJson(text: string, bounds: { readonly depth: number; readonly values: number }): JsonShape {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  let digits = 0;
  let extremeNumbers = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (isDigit(code)) {
      digits += 1;
      if (digits > SAFE_DIGITS) extremeNumbers = true;
      continue;
    }
    const afterDigit = digits > 0;
    digits = 0;
    if (code === QUOTE) {
      index = endOfString(text, index);
    } else if (code === COMMA) {
      values += 1;
      if (values > bounds.values) break;
    } else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      depth += 1;
      if (depth > deepest) deepest = depth;
      if (depth > bounds.depth) break;
      let next = index + 1;
      while (isSpace(text.charCodeAt(next))) next += 1;
      const first = text.charCodeAt(next);
      if (first !== CLOSE_ARRAY && first !== CLOSE_OBJECT) values += 1;
    } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) depth -= 1;
    else if (afterDigit && (code === 0x65 || code === 0x45)) extremeNumbers = true;
  }
  return { depth: deepest, values, extremeNumbers };
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
