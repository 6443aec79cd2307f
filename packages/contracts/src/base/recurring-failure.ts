import type { Logger } from '../context.ts';

/** While a failure recurs, it is logged once in this many milliseconds. */
const REMINDER_MS = 60_000;

interface RecurringFailureOptions {
  readonly logger: Logger;
  /** Logged as a warning. */
  readonly failing: string;
  /** Logged once it is over, if it occurred more than once. */
  readonly over: string;
  /** On every line. */
  readonly fields?: object;
}

/**
 * Logs a failure of work that is retried every few seconds, perhaps for as long as a database is down: when it begins,
 * once a minute while it recurs, and when it is over.
 */
export class RecurringFailure {
  readonly #options: RecurringFailureOptions;
  /** Failures since the last success. */
  #failures = 0;
  #loggedAt = 0;

  constructor(options: RecurringFailureOptions) {
    this.#options = options;
  }

  failed(error: unknown): void {
    this.#failures += 1;
    const now = performance.now();
    if (this.#failures > 1 && now - this.#loggedAt < REMINDER_MS) return;
    this.#loggedAt = now;
    const { logger, failing, fields } = this.#options;
    logger.warn(failing, { ...fields, ...(this.#failures > 1 && { failures: this.#failures }), error });
  }

  succeeded(): void {
    const failures = this.#failures;
    this.#failures = 0;
    const { logger, over, fields } = this.#options;
    if (failures > 1) logger.info(over, { ...fields, failures });
  }
}
