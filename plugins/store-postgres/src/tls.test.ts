import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { canStartPostgres, type OwnPostgres, openPostgres, startPostgres } from '@patchbay/postgres-for-tests';
import { selfSignedCertificate } from '@patchbay/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Address, driverAddress } from './connect.ts';
import { PostgresStorage } from './postgres-storage.ts';
import { optionsFor } from './test-support/temporary-storage.ts';

/** Not one of those that systems give to connections, which could take it before PostgreSQL does. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    server.close();
    if (isFree) return port;
  }
}

describe.skipIf(!canStartPostgres())('over TLS', () => {
  const { certificate, key } = selfSignedCertificate('127.0.0.1');
  const foreign = selfSignedCertificate('127.0.0.1').certificate;
  const elsewhere = selfSignedCertificate('db.example');
  let postgres: OwnPostgres;
  let url: string;

  /** PostgreSQL does not choose a port itself, and another process may take one that was free a moment ago. */
  const start = async (tries = 5): Promise<void> => {
    const port = await freePort();
    try {
      postgres = await startPostgres({ tls: { cert: certificate, key, port } });
    } catch (error) {
      if (tries > 1 && String(error).includes('Address already in use')) return await start(tries - 1);
      throw error;
    }
    url = `postgresql://postgres@127.0.0.1:${port}/postgres`;
  };
  beforeAll(() => start());
  afterAll(() => postgres.stop());

  /** The answer of `health`, or the reason why there was no connection. */
  async function outcome(address: Address): Promise<string> {
    const storage = new PostgresStorage({ ...optionsFor(url), address: driverAddress(address) });
    try {
      await storage.start(new AbortController().signal);
      return (await storage.health()).status;
    } catch (error) {
      return (error as Error).message;
    } finally {
      await storage.stop();
    }
  }

  it('trusts the authority that it is given, and no other', async () => {
    expect(await outcome({ url, tls: { ca: certificate, rejectUnauthorized: true } })).toBe('pass');
    expect(await outcome({ url, tls: { ca: foreign, rejectUnauthorized: true } })).toMatch('is not trusted');
    expect(await outcome({ url, tls: { rejectUnauthorized: true } })).toMatch('is not trusted');
    expect(await outcome({ url: `${url}?sslmode=verify-full` })).toMatch('is not trusted');
  });

  it('trusts a certificate for its host only', async () => {
    const tls = { ca: certificate, rejectUnauthorized: true };
    expect(await outcome({ url, tls: { ...tls, servername: 'db.example' } })).toMatch('for another host');
  });

  it('accepts any certificate with rejectUnauthorized: false', async () => {
    expect(await outcome({ url, tls: { rejectUnauthorized: false } })).toBe('pass');
  });

  it('encrypts, under the options rather than what the url says', async () => {
    const address = driverAddress({
      url: `${url}?sslmode=disable`,
      tls: { ca: certificate, rejectUnauthorized: true },
    });
    expect(address.ssl).toEqual({ ca: certificate, rejectUnauthorized: true });
    const storage = new PostgresStorage({ ...optionsFor(url), address, applicationName: 'encrypted' });
    await storage.start(new AbortController().signal);
    const database = await postgres.createDatabase();
    const used = await database.query(
      "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'encrypted'",
    );
    await storage.stop();
    expect(used).toEqual([{ ssl: true }]);
  });

  it('fails to start when the server has no TLS', async () => {
    const plain = await openPostgres();
    const tls = { ca: elsewhere.certificate, rejectUnauthorized: true };
    const { url: address } = await plain.createDatabase();
    expect(await outcome({ url: address, tls })).toMatch(/cannot use the database/);
    await plain.stop();
  });
});
