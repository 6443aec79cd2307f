import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

/** An empty database. */
export interface TestDatabase {
  readonly url: string;
  readonly name: string;
  /** Query it, on a separate connection. */
  query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Break its connections and remove it. */
  drop(): Promise<void>;
}

/** Create a database on the server at `url`. */
export async function createDatabase(url: string): Promise<TestDatabase> {
  const name = `patchbay_test_${randomBytes(6).toString('hex')}`;
  await run(url, `CREATE DATABASE ${name} TEMPLATE template0`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  return {
    url: own.href,
    name,
    query: (sql) => run(own.href, sql),
    async drop() {
      await run(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

async function run(url: string, sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new Client({ connectionString: url });
  // A server that goes away rejects the pending query and emits an error on the connection.
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
