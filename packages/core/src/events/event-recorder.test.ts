import { systemClock } from '@patchbay/contracts/base/clock';
import type { Logger } from '@patchbay/contracts/context';
import { PatchbayError } from '@patchbay/contracts/errors';
import type { Storage } from '@patchbay/contracts/storage';
import { tenantId } from '@patchbay/contracts/tenant';
import { describe, expect, it } from 'vitest';
import { createMemoryStorage } from '../built-in/memory-storage.ts';
import { createStorageQueue } from '../queue/storage-queue.ts';
import { createEventRecorder } from './event-recorder.ts';
import { createWebhookOutbox } from './webhook-outbox.ts';

const acme = tenantId('acme');

interface Options {
  readonly capacity?: number;
  readonly delayMs?: number;
  readonly onRejected?: () => void;
}

async function setUp(options: Options = {}) {
  const memory = createMemoryStorage();
  const state = { down: false, commits: 0, poison: '', onCommit: () => {} };
  const commit: Storage['commit'] = async (tenant, writes) => {
    state.onCommit();
    if (state.down) throw new PatchbayError('storage_unavailable', 'the storage is away');
    if (state.poison !== '' && JSON.stringify(writes).includes(state.poison))
      throw new TypeError('a value does not fit');
    state.commits += 1;
    return await memory.commit(tenant, writes);
  };
  const storage = { ...memory, commit };
  const log: string[] = [];
  const write = (message: string, fields?: object) => void log.push(`${message} ${JSON.stringify(fields ?? {})}`);
  const logger: Logger = { debug: write, info: write, warn: write, error: write };
  const queue = createStorageQueue({ storage });
  const outbox = createWebhookOutbox({ storage, queue, clock: systemClock });
  const recorder = createEventRecorder({ storage, outbox, logger, clock: systemClock, delayMs: 1, ...options });
  const webhook = { url: '', description: '', enabled: true, disabledReason: null, disabledAt: null };
  const secret = { secret: '', previousSecret: null, previousUntil: null };
  const at = new Date().toISOString();
  const row = { id: 'webhook_1', revision: 1, slot: 'acme/1', ...webhook, ...secret, events: ['key.revoked'] };
  await memory.commit(acme, [{ insert: 'webhooks', row: { ...row, createdAt: at, createdBy: '', updatedAt: at } }]);
  const record = (count: number, first = 0) => {
    for (let index = first; index < first + count; index += 1) {
      recorder.record(acme, { type: 'key.revoked', data: { keyId: String(index) } });
    }
  };
  const kept = async () => (await memory.scanAllTenants('webhookEvents', {}, 10_000)).map(({ row: event }) => event);
  return { recorder, record, kept, state, log };
}

describe('events without a stored change', () => {
  it('events are written in batches, a hundred per commit, with the time at which they happened', async () => {
    const { recorder, record, kept, state } = await setUp();
    const before = new Date().toISOString();
    record(250);
    const after = new Date().toISOString();
    await recorder.flush();
    const events = await kept();
    expect(events.map(({ data }) => data['keyId'])).toEqual(Array.from({ length: 250 }, (_, index) => String(index)));
    expect(events.every(({ createdAt }) => createdAt >= before && createdAt <= after)).toBe(true);
    expect(state.commits).toBe(3);
    await recorder.stop();
  });

  it('events that occur during a commit are written at the next flush, and at a stop', async () => {
    const { recorder, record, kept, state } = await setUp({ delayMs: 60_000 });
    state.onCommit = () => {
      if (state.commits < 2) record(20, 1 + 20 * state.commits);
    };
    record(1);
    await recorder.flush();
    expect([state.commits, (await kept()).length]).toEqual([1, 1]);
    await recorder.flush();
    expect([state.commits, (await kept()).length]).toEqual([2, 21]);
    await recorder.stop();
    expect([state.commits, (await kept()).length]).toEqual([3, 41]);
  });

  it('events are kept while the storage is unavailable, and written once it is back', async () => {
    const { recorder, record, kept, state, log } = await setUp();
    state.down = true;
    record(120);
    await recorder.flush();
    expect(log[0]).toContain('buffered in memory');
    expect(await kept()).toEqual([]);
    state.down = false;
    record(30, 120);
    await recorder.stop();
    expect((await kept()).map(({ data }) => Number(data['keyId']))).toEqual(
      Array.from({ length: 150 }, (_, index) => index),
    );
    expect(log.some((line) => line.includes('lost'))).toBe(false);
  });

  it('events beyond the capacity are lost, and the log says how many', async () => {
    const { recorder, record, kept, log } = await setUp({ capacity: 10 });
    record(13);
    await recorder.stop();
    expect(await kept()).toHaveLength(10);
    expect(log).toContainEqual(expect.stringMatching(/lost.*"count":3/));
  });

  it('events that the storage rejects are dropped, and delay no others', async () => {
    let rejected = 0;
    const onRejected = () => {
      rejected += 1;
    };
    const { recorder, record, kept, state, log } = await setUp({ onRejected });
    state.poison = '"keyId":"77"';
    record(250);
    await recorder.flush();
    expect(await kept()).toHaveLength(249);
    expect(rejected).toBe(1);
    expect(log.filter((line) => line.includes('was dropped'))).toHaveLength(1);
    expect(log.some((line) => line.includes('buffered in memory'))).toBe(false);
    await recorder.stop();
  });

  it('events that cannot be written at the stop are lost, and the log says so', async () => {
    const { recorder, record, state, log } = await setUp();
    state.down = true;
    record(2);
    await recorder.stop();
    expect(log.at(-1)).toMatch(/lost.*"count":2/);
  });
});
