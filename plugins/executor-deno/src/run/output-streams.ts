import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { ExecutionJob, JsonObject, LogLine } from '@patchbay/core/plugin';
import type { ChildProcess } from '../launch/launch-helper.ts';
import { cutBytes, jsonDepth } from './protocol.ts';

const FLOOD_BYTES = 4 * 1024 * 1024;
const TAIL_CHARACTERS = 8192;

export interface OutputStreams {
  /**
   * From here on, output is the log of a run; before and after it, output is unexpected and dropped.
   *
   * @returns Settles when both streams reported the end of the run, or are closed.
   */
  assign(logs: LogCollector, onFlood: () => void): Promise<void>;
  /** The run has written all that it ever will. */
  endRun(): void;
  /** The last part of stderr, where the engine says why it gave up. */
  errorTail(): string;
}

/** The output of one run on a stream. */
interface Part {
  readonly logs: LogCollector;
  readonly onFlushed: () => void;
}

/** Collect what a process writes on stdout and stderr, and report when it writes too much. */
export function collectOutput(process: ChildProcess, whenFlooded: () => void): OutputStreams {
  let onFlood = whenFlooded;
  let bytes = 0;
  let tail = '';
  const count = (chunk: Buffer): boolean => {
    bytes += chunk.length;
    if (bytes > FLOOD_BYTES) onFlood();
    return bytes <= FLOOD_BYTES;
  };
  const marks = new Marks();
  const out = collect(process.stdout, { level: 'info', accept: count, isHeld: false, marks });
  // The console writes to stdout only. What is on stderr at an end without the mark is the engine's crash report, with
  // paths and addresses of the host, and no log of the author's.
  const error = collect(process.stderr, {
    level: 'error',
    isHeld: true,
    marks,
    accept(chunk) {
      tail = `${tail}${chunk.toString('latin1')}`.slice(-TAIL_CHARACTERS);
      return count(chunk);
    },
  });
  // Connections come paused, so that nothing is lost before there is a listener.
  process.stdout.resume();
  process.stderr.resume();
  return {
    errorTail: () => tail,
    async assign(logs, whenFloodedNow) {
      bytes = 0;
      onFlood = whenFloodedNow;
      await Promise.all([out.begin(logs), error.begin(logs)]);
    },
    endRun() {
      out.end();
      error.end();
    },
  };
}

interface Collecting {
  /** Of lines that are not entries of the console. */
  readonly level: Level;
  readonly accept: (chunk: Buffer) => boolean;
  /** Keep lines back until the mark. */
  readonly isHeld: boolean;
  readonly marks: Marks;
}

function collect(stream: Readable, { level, accept, isHeld, marks }: Collecting): Parts {
  const parts = new Parts(stream);
  const held: string[] = [];
  const reader = new LogReader({
    level,
    marks,
    onLine(lineLevel, line, fields) {
      if (isHeld) held.push(line);
      else parts.current?.logs.add(lineLevel, line, fields);
    },
    onYielded(outputs) {
      parts.current?.logs.mark(outputs);
    },
    onFlushed() {
      // No mark follows that an output could wait for.
      if (!isHeld) parts.current?.logs.mark(Infinity);
      for (const line of held.splice(0)) parts.current?.logs.add(level, line);
      parts.end();
    },
  });
  stream.on('data', (chunk: Buffer) => {
    if (accept(chunk)) reader.push(chunk);
  });
  if (!isHeld) stream.once('close', () => reader.end());
  return parts;
}

/** The runs that a stream serves, one after the other. */
class Parts {
  #current: Part | undefined;
  #isClosed = false;

  constructor(stream: Readable) {
    stream.once('close', () => {
      this.#isClosed = true;
      // The last lines come with the same event.
      queueMicrotask(() => this.end());
    });
  }

  get current(): Part | undefined {
    return this.#current;
  }

  begin(logs: LogCollector): Promise<void> {
    return new Promise((resolve) => {
      this.#current = { logs, onFlushed: resolve };
      if (this.#isClosed) this.end();
    });
  }

  end(): void {
    const current = this.#current;
    this.#current = undefined;
    current?.onFlushed();
  }
}

type Level = LogLine['level'];

// The other end is bootstrap/console.js.
const levels: Readonly<Record<string, Level>> = { D: 'debug', I: 'info', W: 'warn', E: 'error' };
const FIELDS = '\u001D';
const NONCE = '\u001EN';
const MAX_FIELDS_DEPTH = 8;
const MAX_HELD = 65_536;

/** How the entries of a process begin and end. Its bootstrap says so first, before there is code that could. */
export class Marks {
  start = '\u001E';
  end = '\u001F';
  #isKnown = false;

  /** @returns Whether the piece says it, for the first time. */
  learn(piece: string): boolean {
    if (this.#isKnown || !piece.startsWith(NONCE)) return false;
    this.#isKnown = true;
    const nonce = piece.slice(NONCE.length);
    this.start += nonce;
    this.end += nonce;
    return true;
  }
}

interface LogReaderOptions {
  /** Of lines that are not entries of the console. */
  readonly level: Level;
  /** Shared by the streams of a process. */
  readonly marks: Marks;
  readonly onLine: (level: Level, message: string, fields?: JsonObject) => void;
  /** The bootstrap reported that the code's part of the stream is over. */
  readonly onFlushed: () => void;
  /** The following lines were written after this many outputs of a generator. */
  readonly onYielded?: (outputs: number) => void;
}

/** Splits one stream of a process into entries of the console, between marks, and plain lines outside of them. */
export class LogReader {
  readonly #options: LogReaderOptions;
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';

  constructor(options: LogReaderOptions) {
    this.#options = options;
  }

  push(chunk: Buffer): void {
    this.#rest += this.#decoder.write(chunk);
    for (let piece = this.#next(); piece !== undefined; piece = this.#next()) this.#take(piece);
    if (this.#rest.length > MAX_HELD) this.end();
  }

  /** Nothing more comes: what is left is a line, finished or not. */
  end(): void {
    const piece = this.#rest;
    this.#rest = '';
    if (piece !== '') this.#take(piece);
  }

  #next(): string | undefined {
    const { start: startMark, end: endMark } = this.#options.marks;
    if (this.#rest.startsWith(startMark)) return this.#cutAt(endMark);
    const newline = this.#rest.indexOf('\n');
    // A mark in the middle of a line ends that line. Only the line is searched: the whole rest, searched again for
    // every line, would make a flood of short lines quadratic.
    const line = newline === -1 ? this.#rest : this.#rest.slice(0, newline);
    const start = line.indexOf(startMark);
    if (start === -1) return this.#cutAt('\n');
    this.#take(line.slice(0, start));
    this.#rest = this.#rest.slice(start);
    return this.#cutAt(endMark);
  }

  #cutAt(end: string): string | undefined {
    const at = this.#rest.indexOf(end);
    if (at === -1) return undefined;
    const piece = this.#rest.slice(0, at);
    this.#rest = this.#rest.slice(at + end.length);
    return piece;
  }

  #take(piece: string): void {
    const { level: plainLevel, marks, onFlushed, onLine, onYielded } = this.#options;
    if (marks.learn(piece)) return;
    const kindAt = marks.start.length;
    const kind = piece.startsWith(marks.start) ? piece.charAt(kindAt) : '';
    if (kind === 'F' && piece.length === kindAt + 1) {
      onFlushed();
      return;
    }
    if (kind === 'Y') {
      onYielded?.(Number(piece.slice(kindAt + 1)));
      return;
    }
    const level = levels[kind];
    if (level !== undefined) {
      const text = piece.slice(kindAt + 1).replace(/\n$/u, '');
      const at = text.lastIndexOf(FIELDS);
      const fields = at === -1 ? undefined : parseFields(text.slice(at + 1));
      if (fields === undefined) onLine(level, text);
      else onLine(level, text.slice(0, at), fields);
    } else {
      // The end of an entry that was too long to be held.
      const line = piece.replaceAll(marks.end, '');
      if (line !== '') onLine(plainLevel, line);
    }
  }
}

/** Fields that can be stored; undefined for other values, which become part of the text. */
function parseFields(json: string): JsonObject | undefined {
  // Escapes of NUL and of half characters: not every storage can keep these.
  if (/\\u(?:0000|d[89a-f])/iu.test(json) || jsonDepth(Buffer.from(json)) > MAX_FIELDS_DEPTH) return undefined;
  try {
    const value: unknown = JSON.parse(json);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

// Line breaks and tabs stay; what moves a terminal's cursor or changes its colours goes.
const controls = /(?![\n\t])\p{Cc}/gu;

/** Each line brings its level and time along: a million short ones must not become a hundred times their text. */
const LEAST_LINE_BYTES = 16;

/** Keeps what a run writes, up to a number of bytes. */
export class LogCollector {
  readonly #limit: number;
  readonly #onLine: NonNullable<ExecutionJob['onLog']>;
  readonly #lines: LogLine[] = [];
  #outputs = 0;
  #onMark: (() => void) | undefined;
  #bytes = 0;
  #truncated = false;

  /** @param onLine Called with each line that is kept. */
  constructor(limit: number, onLine: ExecutionJob['onLog'] = () => {}) {
    this.#limit = limit;
    this.#onLine = onLine;
  }

  get lines(): readonly LogLine[] {
    return this.#lines;
  }

  get truncated(): boolean {
    return this.#truncated;
  }

  /** The lines that follow were written after this many outputs. */
  mark(outputs: number): void {
    if (!(outputs > this.#outputs)) return;
    this.#outputs = outputs;
    this.#onMark?.();
  }

  /** Settles when all lines that the code wrote before its output with this number are here. One waits at a time. */
  async marked(outputs: number): Promise<void> {
    while (this.#outputs < outputs) {
      await new Promise<void>((resolve) => {
        this.#onMark = resolve;
      });
    }
  }

  add(level: LogLine['level'], message: string, fields?: JsonObject): void {
    if (this.#truncated) return;
    const plain = message.replace(controls, '').toWellFormed();
    const left = this.#limit - this.#bytes;
    const kept = cutBytes(plain, left);
    this.#truncated = left <= 0 || kept.length < plain.length;
    const fieldBytes = fields === undefined ? 0 : Buffer.byteLength(JSON.stringify(fields));
    const hasRoom = Buffer.byteLength(kept) + fieldBytes <= left;
    this.#truncated ||= !hasRoom;
    this.#bytes += Math.max(Buffer.byteLength(kept) + (hasRoom ? fieldBytes : 0), LEAST_LINE_BYTES);
    if (kept === '' && this.#truncated) return;
    const line = { level, message: kept, time: new Date().toISOString(), ...(fields && hasRoom && { fields }) };
    this.#lines.push(line);
    this.#onLine(line, this.#outputs);
  }
}
