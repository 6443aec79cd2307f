import { createUuidSource } from './uuid-source.ts';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const nextUuid = createUuidSource();
const PREFIX = /^[a-z](?:[a-z_]{0,61}[a-z])?$/;

/**
 * Make an identifier: a TypeID, `prefix_` and 26 characters that hold a UUIDv7.
 *
 * Ids of one process grow strictly, also within one millisecond and when the system clock is set back, so that "ties by
 * id" in a list means "by age". Callers never parse an id.
 *
 * @example
 * ```ts
 * import { newId } from '@patchbay/core';
 *
 * const id = newId('function'); // function_01h2xcejqtf2nbrexx3vqjhp41
 * ```
 *
 * @throws Error where `prefix` is not 1 to 63 characters out of a-z and inner underscores.
 */
export function newId(prefix: string): string {
  if (!PREFIX.test(prefix))
    throw new Error(`the prefix of an id is 1 to 63 characters out of a-z and inner _: ${prefix}`);
  return `${prefix}_${base32(nextUuid())}`;
}

/** 128 bits as the TypeID specification 0.3.0 writes them: five for each character, with two zero bits in front. */
export function base32(bytes: Uint8Array): string {
  const [first = 0] = bytes;
  let text = character(first, 5) + character(first, 0);
  // Five bytes are eight characters; twenty bits at a time, because the engine is fast with small integers only.
  for (let index = 1; index < 16; index += 5) {
    const at = (offset: number): number => bytes[index + offset] ?? 0;
    text += fourCharacters((at(0) << 12) | (at(1) << 4) | (at(2) >> 4));
    text += fourCharacters(((at(2) & 15) << 16) | (at(3) << 8) | at(4));
  }
  return text;
}

const fourCharacters = (bits: number): string =>
  character(bits, 15) + character(bits, 10) + character(bits, 5) + character(bits, 0);

const character = (bits: number, shift: number): string => ALPHABET.charAt((bits >> shift) & 31);
