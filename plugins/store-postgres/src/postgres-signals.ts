import type { StorageSignals } from '@patchbay/core/storage';
import pg, { type Pool } from 'pg';
import { type ConnectOptions, driverOptions } from './connect.ts';

type Heard = (name: string | undefined) => void;

const CHANNEL = 'patchbay_signals';

/** Longest pause before a connection that broke is replaced. */
const RECONNECT_MS = 10_000;

/** Interval of connection checks: an idle listening connection looks like a broken one. */
const HEARTBEAT_MS = 15_000;

/** Signals as `NOTIFY`, heard on one connection that does nothing else, and is opened with the first listener. */
export class PostgresSignals implements StorageSignals {
  readonly #options: ConnectOptions;
  readonly #pool: () => Pool | undefined;
  readonly #listeners = new Set<Heard>();
  readonly #waiting = new Set<string>();
  #sending: Promise<void> | undefined;
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #stopped = false;

  constructor(options: ConnectOptions, pool: () => Pool | undefined) {
    this.#options = options;
    this.#pool = pool;
  }

  send(name: string): void {
    this.#waiting.add(name);
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  listen(heard: Heard): { close(): void } {
    this.#listeners.add(heard);
    if (this.#client === undefined && this.#timer === undefined) void this.#connect();
    return { close: () => void this.#listeners.delete(heard) };
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#listeners.clear();
    clearTimeout(this.#timer);
    await this.#sending;
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => {});
  }

  /** Names that arrive while a statement is running go with the next one, each name once. */
  async #sendAll(): Promise<void> {
    // Names that are sent in the same turn go together.
    await new Promise(setImmediate);
    while (this.#waiting.size > 0) {
      const names = [...this.#waiting];
      this.#waiting.clear();
      try {
        await this.#pool()?.query(`SELECT pg_notify('${CHANNEL}', name) FROM unnest($1::text[]) AS name`, [names]);
      } catch {
        // Only a hint: others check in any case.
      }
    }
  }

  async #connect(): Promise<void> {
    this.#timer = undefined;
    if (this.#stopped) return;
    const client = new pg.Client({ ...driverOptions(this.#options), query_timeout: this.#options.connectTimeoutMs });
    this.#client = client;
    const lost = () => this.#lose(client);
    client.on('error', lost);
    client.on('end', lost);
    client.on('notification', ({ payload }) => this.#tell(payload ?? ''));
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      this.#failures = 0;
      // Signals before this moment were missed.
      this.#tell(undefined);
      this.#beat(client);
    } catch {
      lost();
    }
  }

  #beat(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#timer = setTimeout(() => {
      client.query('SELECT 1').then(
        () => this.#beat(client),
        () => this.#lose(client),
      );
    }, HEARTBEAT_MS).unref();
  }

  #lose(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    clearTimeout(this.#timer);
    client.end().catch(() => {});
    if (this.#stopped) return;
    const pauseMs = Math.min(100 * 2 ** this.#failures, RECONNECT_MS);
    this.#failures += 1;
    this.#timer = setTimeout(() => void this.#connect(), pauseMs).unref();
  }

  #tell(name: string | undefined): void {
    for (const heard of this.#listeners) heard(name);
  }
}
