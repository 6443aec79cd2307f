export interface LogEntry {
  readonly level: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

/** The log of a server as it is written, for tests that wait for an entry. */
export class ServerLog {
  readonly entries: LogEntry[] = [];
  readonly #waiting = new Set<(entry: LogEntry) => void>();
  readonly #over: Promise<never>;

  /** @param over Rejects, once nothing more can come, with what waiting tests fail with. */
  constructor(over: Promise<never>) {
    this.#over = over;
    over.catch(() => undefined);
  }

  add(line: string): void {
    const entry = JSON.parse(line) as LogEntry;
    this.entries.push(entry);
    for (const each of this.#waiting) each(entry);
  }

  /** The first entry with this message, or the one of that number, once it is there. */
  async logged(message: string, number = 1): Promise<LogEntry> {
    let seen = 0;
    return await this.#first((entry) => {
      if (entry.message === message) seen += 1;
      return entry.message === message && seen === number;
    }, this.entries);
  }

  /** The next entry that is logged. */
  async entry(): Promise<LogEntry> {
    return await this.#first(() => true, []);
  }

  async #first(isWanted: (entry: LogEntry) => boolean, before: readonly LogEntry[]): Promise<LogEntry> {
    const { promise, resolve } = Promise.withResolvers<LogEntry>();
    const look = (entry: LogEntry): void => {
      if (isWanted(entry)) resolve(entry);
    };
    before.forEach(look);
    this.#waiting.add(look);
    try {
      return await Promise.race([promise, this.#over]);
    } finally {
      this.#waiting.delete(look);
    }
  }
}
