import type { Dialect } from '@patchbay/contracts/forward';

/** The bytes of a forwarded response, for its stored content. */
export interface CollectedResponse {
  readonly dialect: Dialect;
  readonly isStream: boolean;
  readonly pieces: readonly Uint8Array[];
  /** Of the whole response. */
  readonly bytes: number;
  /** Its end was not collected. */
  readonly lost: boolean;
}

/** No more than this of a response is held. */
const MOST_BYTES = 4_194_304;

/** Collects a stream as it passes through. The pieces are not copied. */
export class ResponseCollector {
  readonly #dialect: Dialect;
  readonly #pieces: Uint8Array[] = [];
  #bytes = 0;
  #lost = false;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  add(piece: Uint8Array): void {
    this.#bytes += piece.length;
    this.#lost ||= this.#bytes > MOST_BYTES;
    if (!this.#lost) this.#pieces.push(piece);
  }

  get collected(): CollectedResponse {
    return {
      dialect: this.#dialect,
      isStream: true,
      pieces: this.#pieces,
      bytes: this.#bytes,
      lost: this.#lost,
    };
  }
}
