/** This many characters are written at once. */
const BATCH_LENGTH = 8_192;

/** Longest time that a line waits. */
const FLUSH_MS = 100;

/**
 * Collects lines, and hands them on in pieces: a write for each line would cost as much as the rest of a small request.
 * Streams that collect by themselves count the bytes of what they have with every line, which costs as much again.
 */
export class LineBatch {
  readonly #write: (text: string) => void;
  #lines: string[] = [];
  #length = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  write(line: string): void {
    this.#lines.push(line);
    this.#length += line.length;
    if (this.#length >= BATCH_LENGTH) this.flush();
    // Does not keep the process alive: whoever ends it flushes.
    else this.#timer ??= setTimeout(() => this.flush(), FLUSH_MS).unref();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#lines.length === 0) return;
    const text = this.#lines.join('');
    this.#lines = [];
    this.#length = 0;
    this.#write(text);
  }
}
