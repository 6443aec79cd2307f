import type { JsonObject, LogLine } from '@patchbay/core/plugin';
import { cutBytes } from './plain-text.ts';

// Line breaks and tabs stay; what moves a terminal's cursor or changes its colours goes.
const controls = /(?![\n\t])\p{Cc}/gu;

/** Each line brings its level and time along: a million short ones must not become a hundred times their text. */
const LEAST_LINE_BYTES = 16;

/** Keeps what a run writes, up to a number of bytes. */
export class LogCollector {
  readonly #limit: number;
  readonly #onLine: (line: LogLine) => void;
  readonly #lines: LogLine[] = [];
  #bytes = 0;
  #truncated = false;

  /** @param onLine Called with each line that is kept. */
  constructor(limit: number, onLine: (line: LogLine) => void = () => {}) {
    this.#limit = limit;
    this.#onLine = onLine;
  }

  get lines(): readonly LogLine[] {
    return this.#lines;
  }

  get truncated(): boolean {
    return this.#truncated;
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
    this.#onLine(line);
  }
}
