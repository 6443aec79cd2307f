import { requestError } from '../request/request-error.ts';
import { endOfString } from '../top-level.ts';

const [quote, comma, backslash] = [0x22, 0x2c, 0x5c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Names of one object that are compared one by one, which is faster than making strings of them. */
const FEW = 16;

/**
 * Refuses JSON with an object that has a member twice, at any depth: the vendor may use the one that was not checked here.
 *
 * @param bytes Of valid JSON.
 * @throws PatchbayError `invalid_request`.
 */
export function refuseDuplicates(bytes: Uint8Array): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  /** The names of each object that is open; undefined for a list. */
  const open: (Names | undefined)[] = [];
  let names: Names | undefined;
  let isName = false;
  const enter = (next: Names | undefined): void => {
    open.push(names);
    names = next;
    isName = next !== undefined;
  };
  for (let at = 0; at < buffer.length; at += 1) {
    const byte = buffer[at];
    if (byte === quote) {
      const end = endOfString(buffer, at);
      if (isName) names?.add(at + 1, end - 1);
      isName = false;
      at = end - 1;
    } else if (byte === openBrace) enter(new Names(buffer));
    else if (byte === openBracket) enter(undefined);
    else if (byte === closeBrace || byte === closeBracket) {
      names = open.pop();
      isName = false;
    } else if (byte === comma) isName = names !== undefined;
  }
}

/** The names of one object, by position. */
class Names {
  readonly #buffer: Buffer;
  readonly #places: number[] = [];
  /** Once there are many, or one with escapes, which can be written in several ways. */
  #texts: Set<string> | undefined;

  constructor(buffer: Buffer) {
    this.#buffer = buffer;
  }

  /** @throws PatchbayError for a name that already exists. */
  add(start: number, end: number): void {
    if (!this.#texts && (this.#places.length >= 2 * FEW || this.#hasEscape(start, end))) this.#read();
    const isKnown = this.#texts ? this.#texts.has(this.#textOf(start, end)) : this.#has(start, end);
    if (isKnown) {
      const name = JSON.stringify(this.#textOf(start, end).slice(0, 80));
      throw requestError('', 'invalid_value', `has the member ${name} twice in one object`);
    }
    if (this.#texts) this.#texts.add(this.#textOf(start, end));
    else this.#places.push(start, end);
  }

  #read(): void {
    const places = this.#places;
    this.#texts = new Set();
    for (let index = 0; index < places.length; index += 2) {
      this.#texts.add(this.#textOf(places[index] as number, places[index + 1] as number));
    }
  }

  #has(start: number, end: number): boolean {
    const places = this.#places;
    for (let index = 0; index < places.length; index += 2) {
      const other = places[index] as number;
      if ((places[index + 1] as number) - other === end - start && this.#isSame(other, start, end - start)) return true;
    }
    return false;
  }

  #isSame(one: number, other: number, length: number): boolean {
    for (let index = 0; index < length; index += 1) {
      if (this.#buffer[one + index] !== this.#buffer[other + index]) return false;
    }
    return true;
  }

  #hasEscape(start: number, end: number): boolean {
    for (let at = start; at < end; at += 1) if (this.#buffer[at] === backslash) return true;
    return false;
  }

  #textOf(start: number, end: number): string {
    const text = this.#buffer.toString('utf8', start, end);
    return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
  }
}
