import { tenantId } from '@patchbay/core/plugin';
import { createStorageQueue } from '@patchbay/core/storage';
import { missingPostgres } from '@patchbay/postgres-for-tests';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PostgresStorage } from './postgres-storage.ts';
import { openStorage, temporaryStorages } from './test-support/temporary-storage.ts';

const acme = tenantId('acme');
const missing = missingPostgres();
const storages = temporaryStorages();
afterAll(() => storages.stop());

describe.skipIf(missing !== undefined)('signals', () => {
  let subject: Awaited<ReturnType<typeof storages.create>>;
  let other: PostgresStorage;
  beforeEach(async () => {
    subject = await storages.create();
    other = await openStorage(subject.database.url);
  });
  afterEach(async () => {
    await other.stop();
    await subject.dispose();
  });

  /** The signals that a storage hears, once it listens. */
  const listen = async (storage: PostgresStorage) => {
    const heard: (string | undefined)[] = [];
    storage.signals.listen((name) => heard.push(name));
    await expect.poll(() => heard).toEqual([undefined]);
    return heard;
  };

  it('signals reach all who listen, each name of a turn once', async () => {
    const [here, there] = [await listen(subject.storage), await listen(other)];
    for (const name of ['a', 'b', 'a']) other.signals.send(name);
    await expect.poll(() => there).toEqual([undefined, 'a', 'b']);
    await expect.poll(() => here).toEqual([undefined, 'a', 'b']);
  });

  it('signals are heard again after the connection broke, with a word that some may be missing', async () => {
    const heard = await listen(other);
    const listening = `FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`;
    await subject.database.query(`SELECT pg_terminate_backend(pid) ${listening}`);
    await expect.poll(() => heard).toEqual([undefined, undefined]);
    subject.storage.signals.send('c');
    await expect.poll(() => heard).toEqual([undefined, undefined, 'c']);
  });

  it('signals wake the consumers of jobs in other processes at once', async () => {
    const pollMs = 60_000;
    const [producer, consumer] = [
      createStorageQueue({ storage: subject.storage, pollMs }),
      createStorageQueue({ storage: other, pollMs }),
    ];
    const heard = await listen(other);
    const payloads: unknown[] = [];
    consumer.consume('mail', async ({ payload }) => {
      payloads.push(payload);
      return undefined;
    });
    await producer.enqueue(acme, { topic: 'print', payload: 0 });
    await expect.poll(() => heard).toContain('jobs:print');
    await producer.enqueue(acme, { topic: 'mail', payload: 1 });
    await expect.poll(() => payloads).toEqual([1]);
    await subject.storage.commit(acme, [producer.write(acme, { topic: 'mail', payload: 2 })]);
    producer.notify('mail');
    await expect.poll(() => payloads).toEqual([1, 2]);
    for (const queue of [producer, consumer]) await queue.stop?.();
  });
});
