import { systemClock } from '@patchbay/contracts/base/clock';
import type { WebhookRow } from '@patchbay/contracts/rows';
import { tenantId } from '@patchbay/contracts/tenant';
import { describe, expect, it } from 'vitest';
import { createMemoryStorage } from '../built-in/memory-storage.ts';
import { createWebhookOutbox } from '../events/webhook-outbox.ts';
import { createStorageQueue } from '../queue/storage-queue.ts';
import { handOutEvents } from './hand-out-events.ts';
import { createLaneNotifier } from './lane-dependencies.ts';
import { healthy } from './lane-health.ts';

const acme = tenantId('acme');
const at = '2026-01-01T00:00:00.000Z';

function webhook(id: string, fields: Partial<WebhookRow>): WebhookRow {
  const state = { enabled: true, disabledReason: null, disabledAt: null, events: ['*'] };
  const secret = { secret: '', previousSecret: null, previousUntil: null };
  const times = { createdAt: at, createdBy: '', updatedAt: at };
  return { id, revision: 1, slot: id, url: '', description: '', ...state, ...secret, ...times, ...fields };
}

async function setUp(...webhooks: readonly WebhookRow[]) {
  const storage = createMemoryStorage();
  const queue = createStorageQueue({ storage });
  const lane = { revision: 1, run: null, heldUntil: null, alarm: null, alarmAt: null, wokenAt: at, ...healthy };
  await storage.commit(
    acme,
    webhooks.flatMap((row) => [
      { insert: 'webhooks', row } as const,
      { insert: 'webhookLanes', row: { id: row.id, ...lane } } as const,
    ]),
  );
  const outbox = createWebhookOutbox({ storage, queue, clock: systemClock });
  const event = (keyId: string) => ({ type: 'key.revoked', data: { keyId } }) as const;
  await storage.commit(acme, await outbox.writes(acme, [event('1'), event('2'), event('3')]));
  const ids = (await storage.scanAllTenants('webhookEvents', {}, 10)).map(({ row }) => row.id);
  const parts = { storage, queue, clock: systemClock, notifier: createLaneNotifier() };
  const deliveries = async () => (await storage.scanAllTenants('webhookDeliveries', {}, 100)).map(({ row }) => row);
  const lanes = async () =>
    (await storage.scanAllTenants('jobs', {}, 100)).filter(({ row }) => row.topic === 'webhook-delivery').length;
  return { storage, ids, parts, deliveries, lanes };
}

describe('handing out events', () => {
  it('creates deliveries and one job per enabled, subscribed webhook', async () => {
    const others = { events: ['function.created'] };
    const rows = [webhook('a', {}), webhook('b', {}), webhook('c', others), webhook('d', { enabled: false })];
    const { ids, parts, deliveries, lanes } = await setUp(...rows);
    await handOutEvents(parts, acme, ids);
    expect((await deliveries()).map(({ webhookId, eventId }) => `${webhookId} ${eventId}`).toSorted()).toEqual(
      ['a', 'b'].flatMap((id) => ids.map((eventId) => `${id} ${eventId}`)).toSorted(),
    );
    expect(await lanes()).toBe(2);
  });

  it('twice changes nothing, and adds what was missing the first time', async () => {
    const { storage, ids, parts, deliveries, lanes } = await setUp(webhook('a', {}));
    await handOutEvents(parts, acme, ids.slice(1, 2));
    const [first] = await deliveries();
    const set = { state: 'delivered', lane: null, dueAt: null } as const;
    await storage.commit(acme, [{ update: 'webhookDeliveries', id: first?.id ?? '', set }]);
    for (let time = 0; time < 2; time += 1) await handOutEvents(parts, acme, ids);
    expect((await deliveries()).map(({ eventId, state }) => `${eventId} ${state}`).toSorted()).toEqual(
      ids.map((id) => `${id} ${id === ids[1] ? 'delivered' : 'waiting'}`).toSorted(),
    );
    expect(await lanes()).toBe(1);
  });

  it('finds a lane that was left in the meantime, and has it served again', async () => {
    const { storage, ids, parts, lanes } = await setUp(webhook('a', {}));
    await handOutEvents(parts, acme, ids);
    await storage.commit(acme, [{ update: 'webhookLanes', id: 'a', set: { run: null, heldUntil: null } }]);
    await handOutEvents(parts, acme, ids);
    expect(await lanes()).toBe(2);
  });

  it('skips a deleted webhook', async () => {
    const { storage, ids, parts, deliveries } = await setUp(webhook('a', {}));
    await storage.commit(acme, [{ delete: 'webhookLanes', id: 'a' }]);
    await handOutEvents(parts, acme, ids);
    expect(await deliveries()).toEqual([]);
  });
});
