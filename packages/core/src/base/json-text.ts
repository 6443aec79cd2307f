/** How deep JSON documents may be nested, everywhere: what is deeper overflows the stack of whoever walks it. */
export const MAX_JSON_DEPTH = 64;

/** Whether a JSON text nests deeper than `limit`, found without parsing it. */
export function isDeeperThan(text: string, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (inString) {
      if (character === 0x5c) index += 1;
      else if (character === 0x22) inString = false;
    } else if (character === 0x22) inString = true;
    else if (character === 0x5b || character === 0x7b) {
      depth += 1;
      if (depth > limit) return true;
    } else if (character === 0x5d || character === 0x7d) depth -= 1;
  }
  return false;
}

/**
 * Whether a JSON text has a NUL character or a lone surrogate in a string. Not every store can keep these, so none
 * gets them.
 */
export function hasUnsupportedUnicode(text: string): boolean {
  if (text.includes('\0') || !text.isWellFormed()) return true;
  if (!/\\u(?:0000|[dD][89a-fA-F])/.test(text)) return false;
  // There are escapes of that kind: decide on the decoded strings, where `\\u0000` is a backslash and five characters.
  let found = false;
  JSON.parse(text, (key: string, value: unknown) => {
    if (isUnsupported(key) || (typeof value === 'string' && isUnsupported(value))) found = true;
    return value;
  });
  return found;
}

const isUnsupported = (value: string): boolean => value.includes('\0') || !value.isWellFormed();

/** Whether the JSON text of a value has more than `limit` characters, or nearly so, found without making it. */
export function isLongerThan(root: unknown, limit: number): boolean {
  let length = 0;
  const waiting = [root];
  while (waiting.length > 0 && length <= limit) {
    const value = waiting.pop();
    length += typeof value === 'string' ? value.length + 3 : 2;
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) for (const child of value) waiting.push(child);
    else {
      for (const [name, child] of Object.entries(value)) {
        length += name.length + 3;
        waiting.push(child);
      }
    }
  }
  return length > limit;
}
