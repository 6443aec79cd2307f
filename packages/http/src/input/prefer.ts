/**
 * Whether a `Prefer` header asks for this preference, whatever its value (RFC 7240, section 2). What cannot be parsed is
 * no preference: the standard has it ignored.
 */
export function prefers(header: string | undefined, preference: string): boolean {
  if (header === undefined) return false;
  return splitOutsideQuotes(header).some((part) => {
    const [, name] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*(?:[=;]|$)/.exec(part) ?? [];
    return name?.toLowerCase() === preference;
  });
}

function splitOutsideQuotes(text: string): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index];
    if (char === '\\' && quoted) index += 1;
    else if (char === '"') quoted = !quoted;
    else if (char === ',' && !quoted) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return [...parts, text.slice(start)];
}
