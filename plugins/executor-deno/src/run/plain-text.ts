const ESCAPE = '\u001B';
// Terminal control: CSI with its parameters, OSC up to its end, or one character after the escape.
const terminalControl = new RegExp(`${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|\\][^\u0007${ESCAPE}]*|.)`, 'gsu');
const lineBreaks = / *[\t\n\v\f\r\u0085\u2028\u2029]\s*/gu;
// C0, C1 and the marks that reorder or hide text.
const controls = /[\p{Cc}\u061C\u200B-\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/gu;

/**
 * Foreign text made safe for a log, a terminal and a JSON document: on one line, without control
 * characters, and cut at a number of UTF-8 bytes.
 */
export function plainText(text: string, maxBytes: number): string {
  // A character is at least a byte, so that what lies beyond cannot be in the result, however long it is.
  const bounded = text.slice(0, maxBytes * 4);
  const plain = bounded.replace(terminalControl, '').replace(lineBreaks, ' ').replace(controls, '').toWellFormed();
  return cutBytes(plain, maxBytes);
}

/** The longest beginning of a text that has at most so many UTF-8 bytes and no half character. */
export function cutBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
