import { isUtf8 } from 'node:buffer';

const [lineFeed, carriageReturn] = [0x0a, 0x0d];

/** Cuts the bytes of an event stream behind each event. Joined, the pieces are the stream, byte for byte. */
export class EventBytes {
  #rest: Buffer = Buffer.alloc(0);
  /** Up to here, no event ends. */
  #searched = 0;

  /** The events that these bytes complete, each with the empty line behind it. */
  push(bytes: Uint8Array): readonly Buffer[] {
    const all = this.#rest.length === 0 ? asBuffer(bytes) : Buffer.concat([this.#rest, bytes]);
    const events: Buffer[] = [];
    let start = 0;
    let at = this.#searched;
    const find = all.includes(carriageReturn, at) ? endOfEvent : endByFeeds;
    for (let end = find(all, at); end !== -1; end = find(all, at)) {
      events.push(all.subarray(start, end));
      start = end;
      at = end;
    }
    this.#rest = all.subarray(start);
    // An end of three bytes may have begun.
    this.#searched = Math.max(0, this.#rest.length - 3);
    return events;
  }

  /** The bytes that no empty line has completed. Servers leave out the last one. */
  rest(): Buffer {
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    this.#searched = 0;
    return rest;
  }
}

/** The data of one event; undefined for one without any, such as a comment. */
export function dataOf(event: Buffer): string | undefined {
  // Wrong bytes would come out as others.
  if (!isUtf8(event)) throw new TypeError('an event is not valid UTF-8');
  const text = event.toString();
  const isOneLine = text.startsWith('data: ') && text.indexOf('\n') === text.length - 2 && text.endsWith('\n\n');
  if (isOneLine && !text.includes('\r')) return text.slice(6, -2);
  let data: string | undefined;
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (!line.startsWith('data:')) continue;
    const value = line.slice(line[5] === ' ' ? 6 : 5);
    data = data === undefined ? value : `${data}\n${value}`;
  }
  return data;
}

/** The place behind the first empty line from a place on; -1 where there is none yet. */
function endOfEvent(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte !== lineFeed && byte !== carriageReturn) {
      const next = nextLineEnd(bytes, at);
      if (next === -1) return -1;
      at = next - 1;
      continue;
    }
    const second = at + (byte === carriageReturn && bytes[at + 1] === lineFeed ? 2 : 1);
    if (bytes[second] === lineFeed) return second + 1;
    if (bytes[second] === carriageReturn) {
      // Its line feed may still come.
      if (second + 1 >= bytes.length) return -1;
      return second + (bytes[second + 1] === lineFeed ? 2 : 1);
    }
    at = second - 1;
  }
  return -1;
}

/** The same for bytes without carriage returns. */
function endByFeeds(bytes: Buffer, from: number): number {
  const at = bytes.indexOf('\n\n', from, 'latin1');
  return at === -1 ? -1 : at + 2;
}

function nextLineEnd(bytes: Buffer, from: number): number {
  const feed = bytes.indexOf(lineFeed, from);
  const end = feed === -1 ? bytes.length : feed;
  const turn = bytes.subarray(from, end).indexOf(carriageReturn);
  return turn === -1 ? feed : from + turn;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
