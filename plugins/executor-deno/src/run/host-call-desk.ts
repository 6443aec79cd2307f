import { type HostCalls, PatchbayError } from '@patchbay/core/plugin';

/** Calls that the bootstrap has under way at most; further ones wait in the process. */
const MAX_IN_FLIGHT = 8;
const NUMBER_BYTES = 4;

export interface HostCallDeskOptions {
  /** Undefined where the host serves no calls. */
  readonly host: HostCalls | undefined;
  readonly reply: (payload: Buffer) => void;
  /** The code made one call too many. */
  readonly onLimit: (maxCalls: number) => void;
}

/**
 * Serves the calls of one run. A call has no name of its own but its place: the first one is number 1. So nothing that a
 * process sends can stand for a call that another one made, or be answered twice.
 */
export class HostCallDesk {
  readonly #options: HostCallDeskOptions;
  readonly #open = new Map<number, AbortController>();
  #made = 0;
  #cancels = 0;
  #isClosed = false;

  constructor(options: HostCallDeskOptions) {
    this.#options = options;
  }

  /** How many calls are not answered yet. */
  get open(): number {
    return this.#open.size;
  }

  /**
   * Take a call: its name, a line break, its arguments.
   *
   * @returns What is wrong with it, if the bootstrap would not have sent it.
   */
  take(payload: Buffer): string | undefined {
    if (this.#open.size >= MAX_IN_FLIGHT) return `more than ${MAX_IN_FLIGHT} calls at a time`;
    const end = payload.indexOf('\n');
    if (end === -1) return 'a call without a name';
    const { host, onLimit } = this.#options;
    this.#made++;
    if (host !== undefined && this.#made > host.maxCalls) {
      this.close();
      onLimit(host.maxCalls);
      return undefined;
    }
    void this.#serve(this.#made, payload.toString('utf8', 0, end), payload.toString('utf8', end + 1));
    return undefined;
  }

  /** The code does not want the answer to a call any more. It gets one all the same: one for each call. */
  cancel(payload: Buffer): string | undefined {
    const number = payload.length === NUMBER_BYTES ? payload.readUInt32BE(0) : 0;
    this.#cancels++;
    if (number === 0 || number > this.#made || this.#cancels > this.#made) return 'the end of a call that is none';
    this.#open.get(number)?.abort();
    return undefined;
  }

  /** The run is over: end what is under way, and answer nothing more. */
  close(): void {
    this.#isClosed = true;
    for (const controller of this.#open.values()) controller.abort();
    this.#open.clear();
  }

  async #serve(number: number, name: string, argumentsJson: string): Promise<void> {
    const { host } = this.#options;
    const controller = new AbortController();
    this.#open.set(number, controller);
    let answer: { readonly done: boolean; readonly json: string };
    try {
      if (host === undefined) throw new PatchbayError('invalid_request', 'Nothing can be called from here');
      answer = { done: true, json: await host.call(name, argumentsJson, controller.signal) };
    } catch (error) {
      answer = { done: false, json: describe(error) };
    }
    if (this.#isClosed) return;
    this.#open.delete(number);
    const head = Buffer.alloc(NUMBER_BYTES + 1);
    head.writeUInt32BE(number, 0);
    head.writeUInt8(answer.done ? 1 : 0, NUMBER_BYTES);
    this.#options.reply(Buffer.concat([head, Buffer.from(answer.json)]));
  }
}

function describe(error: unknown): string {
  if (!PatchbayError.is(error)) return JSON.stringify({ code: 'internal_error', message: 'The call failed' });
  const { code, message, retryable, errors } = error;
  return JSON.stringify({ code, message, retryable, errors });
}
