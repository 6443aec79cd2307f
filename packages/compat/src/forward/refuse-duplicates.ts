import { requestError } from '../request/request-error.ts';
import { endOfString } from '../top-level.ts';

const [quote, comma, backslash] = [0x22, 0x2c, 0x5c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Refuses JSON with an object that has a member twice, at any depth: the vendor may take the one that was not checked here.
 *
 * @param bytes Of valid JSON.
 * @throws PatchbayError `invalid_request`.
 */
export function refuseDuplicates(bytes: Uint8Array): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  /** The names of each object that is open; undefined for a list. */
  const open: (Set<string> | undefined)[] = [];
  let names: Set<string> | undefined;
  let isName = false;
  const enter = (next: Set<string> | undefined): void => {
    open.push(names);
    names = next;
    isName = next !== undefined;
  };
  for (let at = 0; at < buffer.length; at += 1) {
    const byte = buffer[at];
    if (byte === quote) {
      const end = endOfString(buffer, at);
      if (isName && names) {
        const name = nameOf(buffer.subarray(at, end));
        if (names.has(name))
          throw requestError('', 'invalid_value', `has the member ${shown(name)} twice in one object`);
        names.add(name);
        isName = false;
      }
      at = end - 1;
    } else if (byte === openBrace) enter(new Set());
    else if (byte === openBracket) enter(undefined);
    else if (byte === closeBrace || byte === closeBracket) {
      names = open.pop();
      isName = false;
    } else if (byte === comma) isName = names !== undefined;
  }
}

/** The bytes of a name. Escapes are resolved, so that two ways to write it are the same name. */
function nameOf(text: Buffer): string {
  if (!text.includes(backslash)) return text.toString('latin1', 1, text.length - 1);
  return Buffer.from(JSON.parse(text.toString()) as string).toString('latin1');
}

const shown = (name: string): string => JSON.stringify(Buffer.from(name, 'latin1').toString().slice(0, 80));
