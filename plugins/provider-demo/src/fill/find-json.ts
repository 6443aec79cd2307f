import type { JsonValue } from '@patchbay/core/plugin';

/** A text full of opening brackets is not searched to its end for each of them. */
const MAX_ATTEMPTS = 50;
const MAX_DEPTH = 64;

export interface FoundJson {
  readonly value: JsonValue;
  /** Its place in the text. */
  readonly start: number;
  readonly end: number;
}

/** The JSON objects and arrays that stand in a text. */
export function findJson(text: string): readonly FoundJson[] {
  const found: FoundJson[] = [];
  let at = nextOpening(text, 0);
  for (let attempt = 0; at >= 0 && attempt < MAX_ATTEMPTS; attempt += 1) {
    const end = closingOf(text, at);
    const value = end === undefined ? undefined : parse(text.slice(at, end));
    if (value === undefined || end === undefined) {
      at = nextOpening(text, at + 1);
      continue;
    }
    found.push({ value, start: at, end });
    at = nextOpening(text, end);
  }
  return found;
}

function nextOpening(text: string, from: number): number {
  const place = text.slice(from).search(/[{[]/);
  return place < 0 ? -1 : from + place;
}

/** The place behind the bracket that closes the one at `start`. */
function closingOf(text: string, start: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    if (depth === 0) return at + 1;
    if (depth > MAX_DEPTH) return undefined;
  }
  return undefined;
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
