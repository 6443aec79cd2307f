import type { ExecutionJob } from '@patchbay/core/plugin';
import { failure, outcomeOfOutput, type RunOutcome } from './protocol.ts';

/** All outputs of a generator together may have so many times the bytes of one. The bootstrap counts as well. */
export const OUTPUTS = 256;

interface YieldDeskOptions {
  readonly watcher: NonNullable<ExecutionJob['watcher']>;
  /** Of all outputs together. */
  readonly maxBytes: number;
  /** Lets the generator go on. */
  readonly resume: () => void;
  /** An output ends the run. */
  readonly onEnd: (outcome: RunOutcome) => void;
}

/** Hands on what the generator of one run yields, one output at a time. */
export class YieldDesk {
  readonly #options: YieldDeskOptions;
  #bytes = 0;
  #isWaiting = false;
  #isClosed = false;

  constructor(options: YieldDeskOptions) {
    this.#options = options;
  }

  /** The generator waits until it is resumed. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** @returns What is wrong with it, if the bootstrap would not have sent it. */
  take(payload: Buffer): string | undefined {
    if (this.#isWaiting) return 'an output that was yielded before the one before was taken';
    const { maxBytes, onEnd } = this.#options;
    this.#bytes += payload.length;
    const outcome = outcomeOfOutput(payload, false);
    if (outcome.kind !== 'output') onEnd(outcome);
    else if (this.#bytes > maxBytes) {
      onEnd(failure('output_too_large', `The generator yielded more than ${maxBytes} bytes`));
    } else void this.#handOn(outcome.output);
    return undefined;
  }

  /** The run has ended: the generator is not resumed. */
  close(): void {
    this.#isClosed = true;
  }

  async #handOn(output: string): Promise<void> {
    const { watcher, resume, onEnd } = this.#options;
    this.#isWaiting = true;
    let fault: RunOutcome | undefined;
    try {
      await watcher.yielded(output);
    } catch {
      fault = failure('output_unserializable', 'The generator yielded an output that is not JSON');
    }
    if (this.#isClosed) return;
    this.#isWaiting = false;
    if (fault) onEnd(fault);
    else resume();
  }
}
