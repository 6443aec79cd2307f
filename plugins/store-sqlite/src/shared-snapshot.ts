import type { PreparedStatements } from './prepared-statements.ts';

/**
 * One read transaction for all reads of a turn of the event loop. Opening one takes locks on the file, against other
 * processes; under load many reads share them.
 *
 * Whoever is about to write ends it first, so that a read never misses what this process has acknowledged. What another
 * process commits is seen a turn later at most.
 */
export class SharedSnapshot {
  readonly #reads: PreparedStatements;
  #open = false;

  constructor(reads: PreparedStatements) {
    this.#reads = reads;
  }

  /** Call before a read. */
  begin(): void {
    if (this.#open) return;
    this.#reads.run('BEGIN');
    this.#open = true;
    setImmediate(() => this.end());
  }

  end(): void {
    if (!this.#open) return;
    this.#open = false;
    try {
      this.#reads.run('COMMIT');
    } catch {
      // Nobody waits for this. If the transaction is still open, the next read fails to open one, and tells its caller.
    }
  }
}
