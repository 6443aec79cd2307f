import { Wakeup } from '../../base/signals.ts';
import type { LogLine } from '../../contracts/executor.ts';

/** What a run has logged so far. As large as an executor lets the logs of one run become. */
export class RunLogs {
  /** Resolves waits at each line, and at the end of the run. */
  readonly changed = new Wakeup();
  readonly #lines: LogLine[] = [];

  get lines(): readonly LogLine[] {
    return this.#lines;
  }

  add(line: LogLine): void {
    this.#lines.push(line);
    this.changed.wake();
  }
}
