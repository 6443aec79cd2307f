import type { ExecutionJob } from '@patchbay/core/plugin';
import type { LogCollector } from './output-streams.ts';
import { failure, outcomeOfOutput, type RunOutcome } from './protocol.ts';

/** All outputs of a generator together may have this many times the bytes of one. The bootstrap counts as well. */
export const OUTPUTS = 256;

interface YieldDeskOptions {
  readonly watcher: NonNullable<ExecutionJob['watcher']>;
  readonly logs: Pick<LogCollector, 'marked'>;
  /** The limit for all outputs together. */
  readonly maxBytes: number;
  /** Lets the generator go on. */
  readonly resume: () => void;
  /** An output ends the run. */
  readonly onEnd: (outcome: RunOutcome) => void;
}

/** Maximum number of outputs that a generator sends before the first of them is taken. */
const MOST_WAITING = 64;

/** Hands on the outputs that the generator of one run yields, one at a time. */
export class YieldDesk {
  readonly #options: YieldDeskOptions;
  readonly #waiting: { readonly output: string; readonly isMarked: boolean }[] = [];
  #taken = 0;
  #bytes = 0;
  #isClosed = false;

  constructor(options: YieldDeskOptions) {
    this.#options = options;
  }

  /** Whether an output has not been taken yet. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /**
   * @param isMarked The code has written lines, which are handed on before it.
   * @returns The reason for which the bootstrap would not have sent it, if there is one.
   */
  take(payload: Buffer, isMarked: boolean): string | undefined {
    if (this.#waiting.length >= MOST_WAITING) return `more than ${MOST_WAITING} outputs before the first was taken`;
    const { maxBytes, onEnd } = this.#options;
    this.#bytes += payload.length;
    const outcome = outcomeOfOutput(payload, false);
    if (outcome.kind !== 'output') onEnd(outcome);
    else if (this.#bytes > maxBytes) {
      onEnd(failure('output_too_large', `The generator yielded more than ${maxBytes} bytes`));
    } else if (this.#waiting.push({ output: outcome.output, isMarked }) === 1) void this.#handOn();
    return undefined;
  }

  /** The run has ended: the generator is not resumed. */
  close(): void {
    this.#isClosed = true;
  }

  async #handOn(): Promise<void> {
    const { watcher, logs, resume, onEnd } = this.#options;
    for (let [next] = this.#waiting; next !== undefined; [next] = this.#waiting) {
      this.#taken++;
      // If code has hidden the mark, its output waits for the next one, or for the time limit of its run.
      if (next.isMarked) await logs.marked(this.#taken);
      if (this.#isClosed) return;
      try {
        await watcher.yielded(next.output);
      } catch {
        if (!this.#isClosed)
          onEnd(failure('output_unserializable', 'The generator yielded an output that is not JSON'));
        return;
      }
      if (this.#isClosed) return;
      this.#waiting.shift();
      resume();
    }
  }
}
