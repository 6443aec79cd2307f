import { hash, randomFillSync } from 'node:crypto';

/** Random bytes are fetched for this many ids at once, because each system call costs more than all the rest. */
const IDS_PER_FILL = 256;
const RANDOM_BYTES = 10;

/**
 * Generates UUIDs of version 7 (RFC 9562) that increase strictly, even within one millisecond and when the clock is set
 * back.
 *
 * 48 bits for the time in milliseconds; then a 31-bit counter that starts at a random number every millisecond (section
 * 6.2, method 1) and 43 random bits, around the six bits for version and variant.
 */
export function createUuidSource(now: () => number = Date.now): () => Uint8Array {
  const random = Buffer.allocUnsafe(IDS_PER_FILL * RANDOM_BYTES);
  let used = random.length;
  let milliseconds = 0;
  let counter = 0;

  return () => {
    if (used === random.length) {
      randomFillSync(random);
      used = 0;
    }
    const time = now();
    if (time > milliseconds) {
      milliseconds = time;
      // Without its highest bit, so that it can be incremented two billion times.
      counter = random.readUInt32BE(used) >>> 2;
    } else {
      counter += 1;
    }
    const uuid = new Uint8Array(16);
    const high = Math.floor(milliseconds / 0x10000);
    uuid[0] = high >>> 24;
    uuid[1] = high >>> 16;
    uuid[2] = high >>> 8;
    uuid[3] = high;
    uuid[4] = milliseconds >>> 8;
    uuid[5] = milliseconds;
    uuid[6] = 0x70 | (counter >>> 27);
    uuid[7] = counter >>> 19;
    uuid[8] = 0x80 | ((counter >>> 13) & 0x3f);
    uuid[9] = counter >>> 5;
    uuid[10] = (counter << 3) | (random.readUInt8(used + 4) & 7);
    for (let index = 11; index < 16; index += 1) uuid[index] = random.readUInt8(used + index - 6);
    used += RANDOM_BYTES;
    return uuid;
  };
}

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** The two characters for ten bits: looked up, because each concatenation of characters allocates a string. */
const pairs = Array.from({ length: 1024 }, (_, bits) => ALPHABET.charAt(bits >> 5) + ALPHABET.charAt(bits & 31));
const nextUuid = createUuidSource();
const PREFIX = /^[a-z](?:[a-z_]{0,61}[a-z])?$/;

/**
 * Create an identifier: a TypeID, `prefix_` and 26 characters that encode a UUIDv7.
 *
 * Ids of one process increase strictly, even within one millisecond and when the system clock is set back, so that
 * "ties by id" in a list means "by age". Callers never parse an id.
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

/** An id derived from a text, the same in all processes. It contains no time. */
export function idOfContent(prefix: string, text: string): string {
  return `${prefix}_${base32(hash('sha256', text, 'buffer').subarray(0, 16))}`;
}

/**
 * An id derived from a time and a text, the same in all processes: a UUID of version 8 (RFC 9562) that begins with the
 * time.
 */
export function idOfMoment(prefix: string, milliseconds: number, text: string): string {
  const uuid = Buffer.from(hash('sha256', `${milliseconds} ${text}`, 'buffer').subarray(0, 16));
  uuid.writeUIntBE(milliseconds, 0, 6);
  uuid.writeUInt8(0x80 | (uuid.readUInt8(6) & 15), 6);
  uuid.writeUInt8(0x80 | (uuid.readUInt8(8) & 63), 8);
  return `${prefix}_${base32(uuid)}`;
}

/** 128 bits as the TypeID specification 0.3.0 writes them: five for each character, with two zero bits in front. */
export function base32(bytes: Uint8Array): string {
  const [first = 0] = bytes;
  let text = pairOf(first);
  // Five bytes are eight characters; twenty bits at a time, because the engine is fast with small integers only.
  for (let index = 1; index < 16; index += 5) {
    const at = (offset: number): number => bytes[index + offset] ?? 0;
    text += fourCharacters((at(0) << 12) | (at(1) << 4) | (at(2) >> 4));
    text += fourCharacters(((at(2) & 15) << 16) | (at(3) << 8) | at(4));
  }
  return text;
}

/** The milliseconds at which an id was created. Undefined for other strings. */
export function timeOfId(id: string): number | undefined {
  const digits = /^[a-z][a-z_]*_([0-7][0-9a-hjkmnp-tv-z]{25})$/.exec(id)?.[1];
  if (digits === undefined) return undefined;
  // 48 bits of the time, in ten characters of five bits, of which the first begins with two zero bits.
  let time = 0;
  for (const digit of digits.slice(0, 10)) time = time * 32 + ALPHABET.indexOf(digit);
  return time;
}

const fourCharacters = (bits: number): string => pairOf(bits >> 10) + pairOf(bits & 1023);

const pairOf = (bits: number): string => pairs[bits] ?? '';
