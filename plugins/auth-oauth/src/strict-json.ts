const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A JSON object. */
export type JsonMembers = Readonly<Record<string, unknown>>;

/**
 * Parse a JSON object in which no object has a member twice (RFC 7519, section 4): two readers of one token must not
 * see two different claims.
 *
 * @returns undefined for everything else.
 */
export function parseStrictObject(bytes: Uint8Array): JsonMembers | undefined {
  try {
    const text = utf8.decode(bytes);
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return membersIn(text) === membersOf(value) ? (value as JsonMembers) : undefined;
  } catch {
    return undefined;
  }
}

/** How many members the text has; of valid JSON, each colon outside of a string is one. */
function membersIn(text: string): number {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"/gs, '').split(':').length - 1;
}

/** How many are left once it was parsed. Without recursion: the depth is the sender's choice. */
function membersOf(root: object): number {
  let count = 0;
  const open: object[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    const children = Object.values(value);
    if (!Array.isArray(value)) count += children.length;
    for (const child of children) if (typeof child === 'object' && child !== null) open.push(child);
  }
  return count;
}
