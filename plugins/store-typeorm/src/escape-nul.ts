/**
 * PostgreSQL has no text with the character U+0000. It is written as two U+0001, and U+0001 itself as U+0001 U+0002:
 * so texts stay different from each other, keep their order, and nothing else looks other than it is.
 */
export function escapeNul(text: string): string {
  // Hardly any text has one of the two.
  if (!text.includes('\0') && !text.includes('\x01')) return text;
  return text.replaceAll('\x01', '\x01\x02').replaceAll('\0', '\x01\x01');
}

export function unescapeNul(text: string): string {
  return text.includes('\x01') ? text.replaceAll('\x01\x01', '\0').replaceAll('\x01\x02', '\x01') : text;
}
