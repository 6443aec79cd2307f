const MAX_DEPTH = 64;
const [QUOTE, BACKSLASH, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\[]{}');

/** How deep JSON text nests, without recursion and without parsing it. */
export function jsonDepth(bytes: Uint8Array): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (inString) {
      if (byte === BACKSLASH) index++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) deepest = Math.max(deepest, ++depth);
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--;
  }
  return deepest;
}

export type ParsedOutput =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'too_deep' }
  | { readonly kind: 'not_an_object' };

/** Bytes that are parsed here: whoever reads the output parses it as well, and larger ones over several turns. */
const PARSED_BYTES = 65_536;

/** Judge the bytes that an execution sent as its output: nothing of what it promises is taken for granted. */
export function parseOutput(bytes: Uint8Array): ParsedOutput {
  if (jsonDepth(bytes) > MAX_DEPTH) return { kind: 'too_deep' };
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    if (bytes.length > PARSED_BYTES) return /^\s*\{/.test(text) ? { kind: 'text', text } : { kind: 'not_an_object' };
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? { kind: 'text', text } : { kind: 'not_an_object' };
  } catch {
    return { kind: 'not_an_object' };
  }
}
