/**
 * What travels on the private connection between the host and an execution: u8 type, u32 big-endian length, bytes.
 * The other end is bootstrap/frames.js.
 */
export const toChild = { load: 1, run: 2, input: 3, prime: 4, reply: 5 } as const;
export const fromChild = {
  ready: 16,
  loaded: 17,
  result: 18,
  failure: 19,
  call: 20,
  cancel: 21,
  quietResult: 22,
} as const;

const HEADER_BYTES = 5;

export interface Frame {
  readonly type: number;
  readonly payload: Buffer;
}

export function encodeFrame(type: number, payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(HEADER_BYTES + payload.length);
  frame.writeUInt8(type, 0);
  frame.writeUInt32BE(payload.length, 1);
  frame.set(payload, HEADER_BYTES);
  return frame;
}

/** Thrown by the decoder: what came is not a frame that may come. */
export class FrameError extends Error {}

/** Cuts a stream into frames. The length of a frame is judged before a byte of it is kept. */
export class FrameDecoder {
  readonly #maxBytes: (type: number) => number | undefined;
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #headerFilled = 0;
  #payload: Buffer | undefined;
  #payloadFilled = 0;

  /** @param maxBytes The largest payload of a type; undefined for a type that does not exist. */
  constructor(maxBytes: (type: number) => number | undefined) {
    this.#maxBytes = maxBytes;
  }

  /** @throws FrameError */
  *push(chunk: Buffer): Generator<Frame> {
    let rest = chunk;
    while (rest.length > 0 || this.#isComplete()) {
      if (this.#payload === undefined) {
        const taken = rest.copy(this.#header, this.#headerFilled);
        this.#headerFilled += taken;
        rest = rest.subarray(taken);
        if (this.#headerFilled < HEADER_BYTES) return;
        this.#payload = Buffer.allocUnsafe(this.#allowedLength());
        this.#payloadFilled = 0;
      }
      const taken = rest.copy(this.#payload, this.#payloadFilled);
      this.#payloadFilled += taken;
      rest = rest.subarray(taken);
      if (!this.#isComplete()) return;
      const frame = { type: this.#header.readUInt8(0), payload: this.#payload };
      this.#payload = undefined;
      this.#headerFilled = 0;
      yield frame;
    }
  }

  #isComplete(): boolean {
    return this.#payload !== undefined && this.#payloadFilled === this.#payload.length;
  }

  #allowedLength(): number {
    const type = this.#header.readUInt8(0);
    const length = this.#header.readUInt32BE(1);
    const most = this.#maxBytes(type);
    if (most === undefined) throw new FrameError(`unknown frame type ${type}`);
    if (length > most) throw new FrameError(`frame of type ${type} declares ${length} bytes`);
    return length;
  }
}
