import { isAscii, isUtf8 } from 'node:buffer';

const [lineFeed, carriageReturn] = [0x0a, 0x0d];
const emptyLine = Buffer.from('\n\n');
const nothing = Buffer.alloc(0);

/** Cuts an event stream after each event. Joined, the events are the stream, byte for byte. */
export class EventCutter {
  #rest: Buffer = nothing;
  /** Memory that begins with the rest, and has room for more; empty while the rest is in memory of others. */
  #memory: Buffer = nothing;
  /** No event ends before this position. */
  #searched = 0;

  /** The events that these bytes complete. */
  push(bytes: Uint8Array): CutEvents {
    const all = this.#rest.length === 0 ? asBuffer(bytes) : this.#joined(bytes);
    const byFeeds = all.includes(carriageReturn, this.#searched) ? undefined : cutByFeeds(all, this.#searched);
    const cut = byFeeds ?? cutByLines(all, this.#searched);
    const whole = cut.bytes;
    // A part without bytes would keep the memory of all.
    this.#rest = whole.length === all.length ? nothing : all.subarray(whole.length);
    if (whole.length > 0) this.#memory = nothing;
    // An end of three bytes may have begun.
    this.#searched = Math.max(0, this.#rest.length - 3);
    return cut;
  }

  /** The bytes that no empty line has completed, as an event. Servers omit the last empty line. */
  rest(): CutEvents {
    const bytes = this.#rest;
    this.#rest = nothing;
    this.#memory = nothing;
    this.#searched = 0;
    return { bytes, events: bytes.length === 0 ? [] : [textOf(bytes)] };
  }

  /** The rest and these bytes. An event of megabytes arrives in many pieces: copied for each, it would block the server. */
  #joined(bytes: Uint8Array): Buffer {
    const rest = this.#rest;
    const length = rest.length + bytes.length;
    if (length > this.#memory.length) {
      this.#memory = Buffer.allocUnsafe(2 * length);
      rest.copy(this.#memory);
    }
    this.#memory.set(bytes, rest.length);
    return this.#memory.subarray(0, length);
  }
}

/** Events in the order in which they arrived. */
export interface CutEvents {
  /** The bytes of all events. */
  readonly bytes: Buffer;
  /** The text of each, with the empty line after it; undefined for one that is not UTF-8, whose bytes would change. */
  readonly events: readonly (string | undefined)[];
  /** The text of all events, if it is at hand. */
  readonly text?: string;
}

/** The range of the data in the text of an event, if it is in one line, as that of vendors is. */
export interface DataRange {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** The data of one event; undefined for one without any, such as a comment. */
export function dataOf(event: string): DataRange | undefined {
  const lines = event.includes('\r') ? event.replaceAll(/\r\n?/g, '\n') : event;
  let found: DataRange | undefined;
  for (let from = 0; from < lines.length; ) {
    const end = lines.indexOf('\n', from);
    const to = end === -1 ? lines.length : end;
    if (lines.startsWith('data:', from)) {
      const line = { text: lines, from: from + (lines[from + 5] === ' ' ? 6 : 5), to };
      found = found ? joined(found, line) : line;
    }
    from = to + 1;
  }
  return found;
}

function joined(one: DataRange, other: DataRange): DataRange {
  const text = `${one.text.slice(one.from, one.to)}\n${other.text.slice(other.from, other.to)}`;
  return { text, from: 0, to: text.length };
}

/**
 * Cuts bytes without carriage returns: all at once, because each slice of memory costs more than its text.
 * Undefined if not all of them are UTF-8.
 */
function cutByFeeds(bytes: Buffer, searched: number): CutEvents | undefined {
  if (bytes.indexOf(emptyLine, searched) === -1) return { bytes: bytes.subarray(0, 0), events: [] };
  const whole = bytes.subarray(0, bytes.lastIndexOf(emptyLine) + 2);
  const text = textOf(whole);
  if (text === undefined) return undefined;
  const events: string[] = [];
  let from = 0;
  for (let at = text.indexOf('\n\n'); at !== -1; at = text.indexOf('\n\n', from)) {
    events.push(text.slice(from, at + 2));
    from = at + 2;
  }
  if (from === text.length) return { bytes: whole, events, text };
  // Of three line feeds in a row, the third begins the next event.
  return { bytes: whole.subarray(0, whole.length - (text.length - from)), events };
}

function cutByLines(bytes: Buffer, searched: number): CutEvents {
  const events: (string | undefined)[] = [];
  let start = 0;
  for (let end = endOfEvent(bytes, searched); end !== -1; end = endOfEvent(bytes, end)) {
    events.push(textOf(bytes.subarray(start, end)));
    start = end;
  }
  return { bytes: bytes.subarray(0, start), events };
}

function textOf(bytes: Buffer): string | undefined {
  // Most events are, and are read without being decoded.
  if (isAscii(bytes)) return bytes.toString('latin1');
  return isUtf8(bytes) ? bytes.toString() : undefined;
}

/** The position after the first empty line from a position on; -1 if there is none yet. */
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
      // Its line feed may still arrive.
      if (second + 1 >= bytes.length) return -1;
      return second + (bytes[second + 1] === lineFeed ? 2 : 1);
    }
    at = second - 1;
  }
  return -1;
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
