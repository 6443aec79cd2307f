import { PatchbayError } from '@patchbay/core';

/** A member of the top-level object of a JSON text: its position in the bytes of the text. */
interface Member {
  /** Of the name's first quote. */
  readonly start: number;
  readonly valueStart: number;
  /** Behind the value. */
  readonly valueEnd: number;
}

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** A `TextDecoder` takes several times as long for the few bytes of a name. */
const textIn = (bytes: Uint8Array, from: number, to: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString();

/**
 * The members of a JSON object, found in its bytes without parsing their values, so that one of them can be replaced and
 * everything else stays byte for byte as it was sent.
 *
 * The text must be known to be valid JSON. A member that occurs twice is refused: parsers disagree on which one counts,
 * so the request that was checked might not be the one that is executed.
 */
export class TopLevel {
  /** All of the text. */
  readonly bytes: Uint8Array;
  readonly #members: ReadonlyMap<string, Member>;

  /** @throws PatchbayError `invalid_request` for text that is not an object, and for a member that occurs twice. */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#members = membersOf(bytes);
  }

  has(name: string): boolean {
    return this.#members.has(name);
  }

  /** The parsed value of a member; undefined if there is none. */
  value(name: string): unknown {
    const member = this.#members.get(name);
    if (!member) return undefined;
    return JSON.parse(textIn(this.bytes, member.valueStart, member.valueEnd));
  }

  /**
   * The bytes with other values for some members: a member without a value is removed, and a missing one is
   * put at the beginning.
   */
  with(changes: Readonly<Record<string, unknown>>): Uint8Array {
    const [removed, ...others] = Object.keys(changes).filter((name) => changes[name] === undefined && this.has(name));
    // One at a time: two removed neighbours would each take, or leave, the same comma.
    if (removed !== undefined && others.length > 0) {
      return new TopLevel(this.with({ [removed]: undefined })).with(changes);
    }
    const edits: { readonly from: number; readonly to: number; readonly text: string }[] = [];
    let added = '';
    for (const [name, value] of Object.entries(changes)) {
      const member = this.#members.get(name);
      if (member && value !== undefined) {
        edits.push({ from: member.valueStart, to: member.valueEnd, text: JSON.stringify(value) });
      } else if (member) {
        edits.push({ ...this.#spanOf(member), text: '' });
      } else if (value !== undefined) {
        added += `${JSON.stringify(name)}:${JSON.stringify(value)},`;
      }
    }
    const isEmptied = [...this.#members.keys()].every((name) => name in changes && changes[name] === undefined);
    if (added !== '') {
      const from = this.bytes.indexOf(openBrace) + 1;
      edits.push({ from, to: from, text: isEmptied ? added.slice(0, -1) : added });
    }
    return spliced(this.bytes, edits);
  }

  /** A member with the comma after it, or with the one before it if it is the last. */
  #spanOf({ start, valueEnd }: Member): { readonly from: number; readonly to: number } {
    let to = valueEnd;
    while (isSpace(this.bytes[to])) to += 1;
    if (this.bytes[to] === comma) return { from: start, to: to + 1 };
    let from = start;
    while (isSpace(this.bytes[from - 1])) from -= 1;
    return this.bytes[from - 1] === comma ? { from: from - 1, to: valueEnd } : { from: start, to: valueEnd };
  }
}

function membersOf(bytes: Uint8Array): ReadonlyMap<string, Member> {
  const members = new Map<string, Member>();
  let at = skipSpace(bytes, 0);
  if (bytes[at] !== openBrace) throw new PatchbayError('invalid_request', 'the body must be a JSON object');
  at = skipSpace(bytes, at + 1);
  while (at < bytes.length && bytes[at] !== closeBrace) {
    const start = at;
    const nameEnd = endOfString(bytes, at);
    const name = JSON.parse(textIn(bytes, start, nameEnd)) as string;
    at = skipSpace(bytes, nameEnd);
    if (bytes[at] !== colon) break;
    const valueStart = skipSpace(bytes, at + 1);
    const valueEnd = endOfValue(bytes, valueStart);
    if (members.has(name)) {
      const errors = [{ pointer: `/${name}`, code: 'duplicate', detail: 'occurs twice' }];
      throw new PatchbayError('invalid_request', 'a member of the body occurs twice', { errors });
    }
    members.set(name, { start, valueStart, valueEnd });
    at = skipSpace(bytes, valueEnd);
    if (bytes[at] === comma) at = skipSpace(bytes, at + 1);
  }
  return members;
}

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) at += 1;
  return at;
}

/** Bytes of a string that are read one by one: the longest that names usually are. A search costs more to start. */
const BYTES_BEFORE_SEARCH = 32;

/** @param start Of the first quote. @returns The position after the last one. */
export function endOfString(bytes: Uint8Array, start: number): number {
  const near = Math.min(start + BYTES_BEFORE_SEARCH, bytes.length);
  for (let at = start + 1; at < near && bytes[at] !== backslash; at += 1) if (bytes[at] === quote) return at + 1;
  let end = bytes.indexOf(quote, start + 1);
  while (end !== -1 && isEscaped(bytes, end)) end = bytes.indexOf(quote, end + 1);
  return end === -1 ? bytes.length : end + 1;
}

function isEscaped(bytes: Uint8Array, at: number): boolean {
  let count = 0;
  while (bytes[at - 1 - count] === backslash) count += 1;
  return count % 2 === 1;
}

function endOfValue(bytes: Uint8Array, start: number): number {
  const first = bytes[start];
  if (first === quote) return endOfString(bytes, start);
  if (first !== openBrace && first !== openBracket) return endOfScalar(bytes, start);
  let depth = 0;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) at = endOfString(bytes, at) - 1;
    else if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return bytes.length;
}

function endOfScalar(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== comma && bytes[at] !== closeBrace && !isSpace(bytes[at])) at += 1;
  return at;
}

function spliced(
  bytes: Uint8Array,
  edits: readonly { readonly from: number; readonly to: number; readonly text: string }[],
): Uint8Array {
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { from, to, text } of edits.toSorted((one, other) => one.from - other.from || one.to - other.to)) {
    parts.push(bytes.subarray(at, from), Buffer.from(text));
    at = to;
  }
  parts.push(bytes.subarray(at));
  return Buffer.concat(parts);
}
