import type { ConfigOf, OptionSchema } from '@patchbay/core/plugin';
import pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { describeFailure } from './failures.ts';

export interface ConnectOptions {
  readonly address: DriverAddress;
  readonly poolSize: number;
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  readonly applicationName: string;
}

/** Options of the driver for every connection, of the pool and of migrations. */
export function driverOptions({ address, connectTimeoutMs, applicationName }: ConnectOptions) {
  return {
    ...address,
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
  };
}

/** Connections that are opened when they are needed. One that breaks is replaced at the next use. */
export function createPool(options: ConnectOptions): pg.Pool {
  const pool = new pg.Pool({
    ...driverOptions(options),
    max: options.poolSize,
    // A server that disappeared without notice never ends a statement.
    query_timeout: options.statementTimeoutMs + options.connectTimeoutMs,
    // Statements that belong together go in one packet.
    pipeline: true,
    onConnect: waitedFor((client) => prepareSession(client, options)),
  });
  // The error of an idle connection: the pool has removed it already.
  pool.on('error', () => {});
  return pool;
}

/** The pool waits for what this returns, although its types do not say so. */
function waitedFor(prepare: (client: pg.ClientBase) => Promise<void>): (client: pg.ClientBase) => void {
  return prepare as (client: pg.ClientBase) => void;
}

/**
 * Whatever the defaults of server and user are: times in UTC, as `readTimestamp` reads them, bounded waits, and no
 * acknowledgement of what is not on disk.
 */
async function prepareSession(client: pg.ClientBase, { statementTimeoutMs, lockTimeoutMs }: ConnectOptions) {
  // A connection may break while it is checked out but idle.
  client.on('error', () => {});
  await client.query(
    `SELECT set_config('TimeZone', 'UTC', false), set_config('DateStyle', 'ISO, YMD', false),
       set_config('default_transaction_isolation', 'read committed', false),
       set_config('statement_timeout', $1, false), set_config('lock_timeout', $2, false),
       set_config('idle_in_transaction_session_timeout', $1, false),
       CASE WHEN current_setting('synchronous_commit') = 'off' THEN set_config('synchronous_commit', 'on', false) END`,
    [String(statementTimeoutMs), String(lockTimeoutMs)],
  );
}

/**
 * Check whether the server can be reached and can hold every text.
 *
 * @throws Error with the reason, and without the address.
 */
export async function checkServer(pool: pg.Pool): Promise<void> {
  const { rows } = await pool
    .query<{ encoding: string; version: number }>(
      "SELECT current_setting('server_encoding') AS encoding, current_setting('server_version_num')::int AS version",
    )
    .catch((error: unknown) => {
      throw new Error(`cannot use the database: ${describeFailure(error)}`, { cause: error });
    });
  const { encoding, version } = rows[0] ?? { encoding: 'unknown', version: 0 };
  if (encoding !== 'UTF8') throw new Error(`the database has the encoding ${encoding}, and UTF8 is needed`);
  if (version < 130_000) throw new Error('PostgreSQL 13 or newer is needed');
}

/** Options that say how to reach the server. */
export const addressOptions = {
  url: {
    type: 'string',
    pattern: '^postgres(ql)?://',
    $comment: 'must be a postgres or postgresql URL',
    writeOnly: true,
    description: 'Such as `postgresql://user:password@host:5432/database`. The options below override its parts.',
  },
  host: { type: 'string', minLength: 1, description: 'Host name, address, or directory of a unix socket.' },
  port: { type: 'integer', description: 'Port of the server. Default: 5432.', minimum: 1, maximum: 65_535 },
  database: { type: 'string', description: 'Name of the database.', minLength: 1 },
  user: { type: 'string', description: 'Name of the role.', minLength: 1 },
  password: { type: 'string', description: 'Password of the role.', minLength: 1, writeOnly: true },
  tls: {
    type: 'object',
    description: 'TLS options. Default: `sslmode` of the url.',
    properties: {
      ca: { type: 'string', description: 'Trusted CA certificates in PEM format.' },
      cert: { type: 'string', description: 'Client certificate in PEM format, if the server requires one.' },
      key: { type: 'string', writeOnly: true, description: 'Private key of `cert` in PEM format.' },
      servername: { type: 'string', description: 'Name in the certificate, if it differs from the host.' },
      rejectUnauthorized: {
        type: 'boolean',
        default: true,
        description: 'Reject servers with an untrusted certificate. If off, a man in the middle can read all data.',
      },
    },
  },
} as const satisfies Readonly<Record<string, OptionSchema>>;

/** Where the server is, as the config names it. */
export type Address = ConfigOf<{ properties: typeof addressOptions }>;

/** An address, as the driver takes it. */
type DriverAddress = Pick<pg.ClientConfig, 'host' | 'port' | 'database' | 'user' | 'password' | 'ssl'>;

/**
 * The parts of the url, overridden by those that are given separately.
 *
 * @throws Error for an invalid url, without repeating it, because it contains a password.
 */
export function driverAddress({ url, tls, ...parts }: Address): DriverAddress {
  const given = Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
  const fromUrl = url === undefined ? {} : parseUrl(url);
  const address = { ...fromUrl, ...given };
  if (tls === undefined) return address;
  const ssl = Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== undefined));
  return { ...address, ssl };
}

function parseUrl(url: string): DriverAddress {
  if (!/^postgres(ql)?:\/\//.test(url)) throw new Error('the url of the database must begin with postgresql://');
  try {
    const { host, port, database, user, password, ssl } = parseIntoClientConfig(url);
    const parts = { host, port, database, user, password, ssl };
    return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined && value !== ''));
  } catch {
    throw new Error('the url of the database cannot be read: percent-encode what is special in its parts');
  }
}
