import { StringDecoder } from 'node:string_decoder';
import type { LogLine } from '@patchbay/core/plugin';
import { cutBytes } from './plain-text.ts';

type Level = LogLine['level'];

const levels: Readonly<Record<string, Level>> = { D: 'debug', I: 'info', W: 'warn', E: 'error' };
// Line breaks and tabs stay; what moves a terminal's cursor or changes its colours goes.
const controls = /(?![\n\t])\p{Cc}/gu;
const START = '\u001E';
const END = '\u001F';
const FLUSHED = `${START}F`;

/** Keeps what a run writes, up to a number of bytes. */
export class LogCollector {
  readonly #limit: number;
  readonly #lines: LogLine[] = [];
  #bytes = 0;
  #truncated = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get lines(): readonly LogLine[] {
    return this.#lines;
  }

  get truncated(): boolean {
    return this.#truncated;
  }

  /** A stream of the process: entries of the console between marks, plain lines of `level` outside of them. */
  reader(level: Level, onFlushed: () => void): LogReader {
    return new LogReader(level, (lineLevel, message) => this.#add(lineLevel, message), onFlushed);
  }

  #add(level: Level, message: string): void {
    if (this.#truncated) return;
    const left = this.#limit - this.#bytes;
    const plain = message.replace(controls, '');
    const kept = cutBytes(plain, left);
    this.#bytes += Buffer.byteLength(kept);
    if (kept.length < plain.length) this.#truncated = true;
    if (kept !== '' || !this.#truncated) this.#lines.push({ level, message: kept, time: new Date().toISOString() });
    // An empty message is free by its bytes, and must not be free in number.
    this.#bytes += 1;
  }
}

/** Splits what arrives on one stream. Holds back at most one unfinished line of `#maxLine` characters. */
export class LogReader {
  static readonly #maxLine = 65_536;
  readonly #level: Level;
  readonly #add: (level: Level, message: string) => void;
  readonly #onFlushed: () => void;
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';

  constructor(level: Level, add: (level: Level, message: string) => void, onFlushed: () => void) {
    this.#level = level;
    this.#add = add;
    this.#onFlushed = onFlushed;
  }

  push(chunk: Buffer): void {
    this.#rest += this.#decoder.write(chunk);
    for (let end = this.#nextEnd(); end !== -1; end = this.#nextEnd()) {
      const piece = this.#rest.slice(0, end);
      this.#rest = this.#rest.slice(end + 1);
      this.#take(piece);
    }
    if (this.#rest.length > LogReader.#maxLine) this.end();
  }

  /** Nothing more comes: what is left is a line, finished or not. */
  end(): void {
    const piece = this.#rest;
    this.#rest = '';
    if (piece !== '') this.#take(piece);
  }

  #nextEnd(): number {
    if (this.#rest.startsWith(START)) return this.#rest.indexOf(END);
    const newline = this.#rest.indexOf('\n');
    // A mark in the middle of a line ends that line. Only the line is searched: the whole rest, searched again for
    // every line, would make a flood of short lines quadratic.
    const line = newline === -1 ? this.#rest : this.#rest.slice(0, newline);
    const start = line.indexOf(START);
    if (start === -1) return newline;
    this.#take(line.slice(0, start));
    this.#rest = this.#rest.slice(start);
    return this.#rest.indexOf(END);
  }

  #take(piece: string): void {
    if (piece === FLUSHED) {
      this.#onFlushed();
      return;
    }
    const level = piece.startsWith(START) ? levels[piece.charAt(1)] : undefined;
    if (level !== undefined) this.#add(level, piece.slice(2).replace(/\n$/u, ''));
    else if (piece !== '') this.#add(this.#level, piece);
  }
}
