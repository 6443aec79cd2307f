/** How long each part of a call may take, in milliseconds. */
export interface DeadlineLimits {
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
}

/** The clocks of one call. `expire` is called at most once per clock, with a sentence that says which. */
export class Deadlines {
  readonly #limits: DeadlineLimits;
  readonly #expire: (message: string) => void;
  readonly #total: NodeJS.Timeout;
  #connect: NodeJS.Timeout | undefined;
  #firstByte: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(limits: DeadlineLimits, expire: (message: string) => void) {
    this.#limits = limits;
    this.#expire = expire;
    this.#total = this.#start(limits.totalMs, 'did not finish');
    this.#firstByte = this.#start(limits.firstByteMs, 'did not begin to answer');
    this.#connect = this.#start(limits.connectMs, 'did not accept a connection');
  }

  connected(): void {
    clearTimeout(this.#connect);
    this.#connect = undefined;
  }

  /** The upstream sent something, or may send again after `pause`. */
  progress(): void {
    if (this.#firstByte) {
      clearTimeout(this.#firstByte);
      this.#firstByte = undefined;
    }
    if (this.#idle) this.#idle.refresh();
    else this.#idle = this.#start(this.#limits.idleMs, 'sent nothing more');
  }

  /** While we do not read, the upstream cannot be blamed for its silence. */
  pause(): void {
    clearTimeout(this.#idle);
    this.#idle = undefined;
  }

  clear(): void {
    clearTimeout(this.#total);
    clearTimeout(this.#firstByte);
    clearTimeout(this.#connect);
    clearTimeout(this.#idle);
  }

  #start(milliseconds: number, what: string): NodeJS.Timeout {
    // "timed out" is avoided: the SDKs look for the words, and then replace the error by one without a cause.
    return setTimeout(this.#expire, milliseconds, `the model provider ${what} within ${milliseconds} ms`);
  }
}
