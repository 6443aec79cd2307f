import { StringDecoder } from 'node:string_decoder';
import type { JsonObject, LogLine } from '@patchbay/core/plugin';
import { jsonDepth } from './json-document.ts';

type Level = LogLine['level'];

// The other end is bootstrap/console.js.
const levels: Readonly<Record<string, Level>> = { D: 'debug', I: 'info', W: 'warn', E: 'error' };
const START = '\u001E';
const END = '\u001F';
const FIELDS = '\u001D';
const FLUSHED = `${START}F`;
const MAX_FIELDS_DEPTH = 8;
const MAX_HELD = 65_536;

export interface LogReaderOptions {
  /** Of lines that are not entries of the console. */
  readonly level: Level;
  readonly onLine: (level: Level, message: string, fields?: JsonObject) => void;
  /** The bootstrap said that the code's part of the stream is over. */
  readonly onFlushed: () => void;
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
    for (let end = this.#nextEnd(); end !== -1; end = this.#nextEnd()) {
      const piece = this.#rest.slice(0, end);
      this.#rest = this.#rest.slice(end + 1);
      this.#take(piece);
    }
    if (this.#rest.length > MAX_HELD) this.end();
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
    const { level: plainLevel, onFlushed, onLine } = this.#options;
    if (piece === FLUSHED) {
      onFlushed();
      return;
    }
    const level = piece.startsWith(START) ? levels[piece.charAt(1)] : undefined;
    if (level !== undefined) {
      const text = piece.slice(2).replace(/\n$/u, '');
      const at = text.lastIndexOf(FIELDS);
      const fields = at === -1 ? undefined : parseFields(text.slice(at + 1));
      if (fields === undefined) onLine(level, text);
      else onLine(level, text.slice(0, at), fields);
    } else if (piece !== '') onLine(plainLevel, piece);
  }
}

/** Fields as they may be stored; undefined for what is none, and is then a part of the text. */
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
