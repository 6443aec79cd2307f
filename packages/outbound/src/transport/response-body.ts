/** The connection of a body, as far as the body controls it. */
export interface BodySource {
  resume(): void;
  /** The rest is not needed. */
  cancel(): void;
}

/** Bytes to buffer for a slow reader of a stream before the connection is paused. */
const HIGH_WATER_BYTES = 64 * 1024;

/** The body of a response, between the connection, which pushes, and its only reader, whole or in pieces. */
export class ResponseBody {
  readonly #source: BodySource;
  #pieces: Uint8Array[] = [];
  #waitingBytes = 0;
  #state: 'open' | 'ended' | 'failed' = 'open';
  #error: unknown;
  #wantedWhole = false;
  #wake: (() => void) | undefined;

  constructor(source: BodySource) {
    this.#source = source;
  }

  /** Whether the connection should wait. A body that is read whole is bounded by its cap alone. */
  get full(): boolean {
    return this.#waitingBytes >= HIGH_WATER_BYTES && !this.#wantedWhole;
  }

  push(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#waitingBytes += piece.byteLength;
    this.#wake?.();
  }

  end(): void {
    this.#state = 'ended';
    this.#wake?.();
  }

  /** The pieces before the failure can still be read, unless `discard` is set. */
  fail(error: unknown, discard: boolean): void {
    this.#state = 'failed';
    this.#error = error;
    if (discard || this.#wantedWhole) this.#pieces = [];
    this.#wake?.();
  }

  /** All that has arrived since the last time, as one piece. */
  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    while (this.#pieces.length === 0 && this.#state === 'open') await this.#change();
    const [first, second] = this.#pieces;
    if (!first) {
      if (this.#state === 'failed') throw this.#error;
      return { value: undefined, done: true };
    }
    // Servers send each event as a chunk, of which many arrive together: the rest costs as much for one as for all.
    const value = second ? Buffer.concat(this.#pieces) : first;
    this.#pieces = [];
    this.#waitingBytes = 0;
    this.#source.resume();
    return { value, done: false };
  }

  async readWhole(): Promise<Buffer> {
    this.#wantedWhole = true;
    this.#source.resume();
    while (this.#state === 'open') await this.#change();
    const pieces = this.#pieces;
    this.#pieces = [];
    if (this.#state === 'failed') throw this.#error;
    const [only] = pieces;
    if (only && pieces.length === 1) return Buffer.from(only.buffer, only.byteOffset, only.byteLength);
    return Buffer.concat(pieces);
  }

  cancel(): void {
    this.#source.cancel();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
