/** The first half of a character, which is escaped while the second one is missing. */
const HALF = /^\\ud[89ab][0-9a-f]{2}$/;

/**
 * The beginning of the JSON text of an output that the next one is likely to have as well: up to the string that grew,
 * or the members that were added, since the previous output. Empty if something else changed, or nothing.
 *
 * @param before Text of the previous output; empty for the first one.
 */
export function steadyText(text: string, before: string): string {
  const common = commonLength(text, before);
  if (!hasGrown(text, before, common)) return '';
  let index = 0;
  while (index < text.length) {
    const character = text.charAt(index);
    if (character === '"') {
      const end = endOfString(text, index);
      const isName = text.charAt(end + 1) === ':';
      if (!isName && end >= common) return text.slice(0, end).replace(/\\ud[89ab][0-9a-f]{2}$/, '');
      index = end + 1;
    } else if ('{[,:'.includes(character)) index += 1;
    else {
      const end = '}]'.includes(character) ? index : endOfLiteral(text, index);
      if (end >= common) return text.slice(0, index);
      index = Math.max(end, index + 1);
    }
  }
  return text;
}

function commonLength(text: string, other: string): number {
  let length = 0;
  while (length < other.length && text.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return length;
}

/** Whether a string or a container continues where that of the previous output was closed. */
function hasGrown(text: string, before: string, at: number): boolean {
  if (before === '') return true;
  const closing = before.charAt(at);
  if (closing === '"' || HALF.test(before.slice(at, at + 6))) return true;
  const wasEmpty = '{['.includes(before.charAt(at - 1));
  return (closing === '}' || closing === ']') && (wasEmpty || text.charAt(at) === ',');
}

/** Index of the quote that closes a string. */
function endOfString(text: string, start: number): number {
  let end = start + 1;
  while (text.charAt(end) !== '"') end += text.charAt(end) === '\\' ? 2 : 1;
  return end;
}

/** The index after a number, a boolean or null. */
function endOfLiteral(text: string, start: number): number {
  let end = start;
  while (end < text.length && !',}]'.includes(text.charAt(end))) end += 1;
  return end;
}
