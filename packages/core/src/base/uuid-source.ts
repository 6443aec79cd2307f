import { randomFillSync } from 'node:crypto';

/** Random bytes are fetched for this many ids at once: from the system, each time costs more than all the rest. */
const IDS_PER_FILL = 256;
const RANDOM_BYTES = 10;

/**
 * Makes UUIDs of version 7 (RFC 9562) that grow strictly, also within one millisecond and when the clock is set back.
 *
 * 48 bits of the time in milliseconds; then a counter of 31 bits that starts at a random number with every millisecond
 * (section 6.2, method 1) and 43 bits of which each is random, around the six bits of version and variant.
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
      // Without its highest bit, so that it can be counted up two milliard times.
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
