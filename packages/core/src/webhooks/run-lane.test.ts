import type { ServerResponse } from 'node:http';
import { services } from '@patchbay/contracts/services';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createMemoryStorage } from '../built-in/memory-storage.ts';
import { summarize } from '../functions/fixtures/function-parts.ts';
import { createDrivenClock } from './fixtures/driven-clock.ts';
import { context, createHookedApp, type HookedApp } from './fixtures/hooked-app.ts';
import { type SignedReceiver, signedReceiver } from './fixtures/signed-receiver.ts';
import { healLanes } from './lane-hold.ts';

const opened: { close(): Promise<unknown> }[] = [];

afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.close();
});

async function open(options: Parameters<typeof createHookedApp>[0] = {}): Promise<HookedApp> {
  const hooked = await createHookedApp(options);
  opened.push({ close: () => hooked.app.host.stop(0) });
  return hooked;
}

async function receiverOf(hooked: HookedApp, answer?: Parameters<typeof signedReceiver>[0]) {
  const receiver: SignedReceiver = await signedReceiver(answer);
  opened.push(receiver);
  const { row, secret } = await hooked.hook(receiver.url, { events: ['function.created'] });
  receiver.trust(secret);
  return { receiver, id: row.id };
}

async function change(hooked: HookedApp, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => hooked.app.services.functions.create(summarize, context)));
}

/** Responses that are held back, and the most there were at the same time. */
function holdBack() {
  const held: ServerResponse[] = [];
  let most = 0;
  return {
    held,
    most: () => most,
    answer: (_: unknown, response: ServerResponse) => {
      held.push(response);
      most = Math.max(most, held.length);
    },
    release: () => {
      for (const response of held.splice(0)) response.end();
    },
  };
}

describe('a lane', () => {
  it('runs at most four deliveries at once and never blocks other webhooks', async () => {
    const hooked = await open();
    const hanging = holdBack();
    const slow = await receiverOf(hooked, hanging.answer);
    const others = await Promise.all(Array.from({ length: 5 }, () => receiverOf(hooked)));
    await change(hooked, 40);
    for (const { receiver } of others) await receiver.received(40);
    expect(hanging.held).toHaveLength(4);
    expect((await hooked.deliveries(slow.id)).every(({ state }) => state === 'waiting')).toBe(true);
    while (slow.receiver.messages.length < 40) {
      const seen = slow.receiver.messages.length;
      hanging.release();
      if (seen < 40) await slow.receiver.received(seen + 1);
    }
    hanging.release();
    await expect
      .poll(async () => (await hooked.deliveries(slow.id)).every(({ state }) => state === 'delivered'))
      .toBe(true);
    expect(hanging.most()).toBe(4);
    for (const { receiver } of [slow, ...others]) {
      expect(new Set(receiver.messages.map(({ id }) => id)).size).toBe(40);
      expect(receiver.messages).toHaveLength(40);
    }
  });

  it('sends one at a time to an overloaded receiver, until it accepts one', async () => {
    const hooked = await open();
    const waiting = holdBack();
    let refused = false;
    const { receiver, id } = await receiverOf(hooked, (message, response) => {
      if (refused) return waiting.answer(message, response);
      refused = true;
      response.writeHead(503, { 'retry-after': '0' }).end();
    });
    await change(hooked, 1);
    await receiver.received(1);
    await expect.poll(async () => (await hooked.deliveries(id))[0]?.attempts).toBe(1);
    await change(hooked, 6);
    // After a pause of a second.
    await receiver.received(2);
    await hooked.app.services.webhooks.test(id, context);
    expect(waiting.held).toHaveLength(1);
    waiting.release();
    await receiver.received(6);
    expect(waiting.most()).toBe(4);
    waiting.release();
  });

  it('resumes on the next server, even after a crash in the middle of a delivery', async () => {
    const first = await open();
    const hanging = holdBack();
    let hangs = true;
    const { receiver, id } = await receiverOf(first, (message, response) =>
      hangs ? hanging.answer(message, response) : response.end(),
    );
    await change(first, 10);
    await receiver.received(4);
    hangs = false;
    await first.app.host.stop(0);
    hanging.release();
    expect((await first.deliveries(id)).filter(({ state }) => state === 'delivered').length).toBeLessThanOrEqual(4);
    const second = await open({ storage: first.storage });
    await expect.poll(async () => (await second.deliveries(id)).every(({ state }) => state === 'delivered')).toBe(true);
    expect(new Set(receiver.messages.map((message) => message.id)).size).toBe(10);
  });

  it('shared by two servers is served by one of them, so that nothing is sent twice', async () => {
    const first = await open();
    const second = await open({ storage: first.storage });
    const { receiver, id } = await receiverOf(first);
    await Promise.all([change(first, 60), change(second, 60)]);
    await expect.poll(async () => (await first.deliveries(id)).length).toBe(100);
    await receiver.received(120);
    const states = async () =>
      (await first.storage.scanAllTenants('webhookDeliveries', {}, 1_000)).map(({ row }) => row.state);
    await expect.poll(async () => (await states()).filter((state) => state === 'delivered').length).toBe(120);
    expect(receiver.messages).toHaveLength(120);
    const lane = async () => (await first.storage.get(context.caller.tenant, 'webhookLanes', id))?.run;
    await expect.poll(lane).toBe(null);
  });
});

describe('an action of the owner', () => {
  it('a test event is sent to that webhook alone, whatever it subscribes to', async () => {
    const hooked = await open();
    const { receiver, id } = await receiverOf(hooked);
    const other = await receiverOf(hooked);
    const delivery = await hooked.app.services.webhooks.test(id, context);
    expect(await receiver.received(1)).toMatchObject([
      { id: delivery.eventId, type: 'webhook.test', data: { webhookId: id } },
    ]);
    expect(other.receiver.messages).toEqual([]);
  });

  it('a delivery is sent once more under its id, even one that was accepted', async () => {
    const hooked = await open();
    const { receiver, id } = await receiverOf(hooked);
    await change(hooked, 1);
    await receiver.received(1);
    await expect.poll(async () => (await hooked.deliveries(id))[0]?.state).toBe('delivered');
    const [row] = await hooked.deliveries(id);
    await hooked.app.services.webhooks.retry(id, row?.id ?? '', context);
    const [one, two] = await receiver.received(2);
    expect(two?.id).toBe(one?.id);
    await expect.poll(async () => (await hooked.deliveries(id))[0]).toMatchObject({ state: 'delivered', attempts: 2 });
    await expect(hooked.app.services.webhooks.retry(id, 'delivery_0_0', context)).rejects.toMatchObject({
      code: 'delivery_not_found',
    });
  });

  it('a disabled webhook gets nothing, and what waited once it is enabled again', async () => {
    const hooked = await open();
    let status = 500;
    const { receiver, id } = await receiverOf(hooked, (_, response) => response.writeHead(status).end());
    await change(hooked, 1);
    await expect.poll(async () => (await hooked.deliveries(id))[0]).toMatchObject({ attempts: 1 });
    const input = { url: receiver.url, events: ['function.created'] } as const;
    await hooked.app.services.webhooks.replace(id, { ...input, enabled: false }, context);
    await change(hooked, 1);
    await expect(hooked.app.services.webhooks.test(id, context)).rejects.toMatchObject({ code: 'webhook_disabled' });
    expect(await hooked.deliveries(id)).toHaveLength(1);
    status = 200;
    await hooked.app.services.webhooks.replace(id, input, context);
    const [row] = await hooked.deliveries(id);
    await hooked.app.services.webhooks.retry(id, row?.id ?? '', context);
    await expect.poll(async () => (await hooked.deliveries(id))[0]?.state).toBe('delivered');
    await hooked.app.services.webhooks.replay(id, '2020-01-01T00:00:00Z', context);
    const received = await receiver.received(3);
    expect(new Set(received.map((message) => message.id)).size).toBe(2);
  });

  it('no more webhooks are created than allowed, however many requests come at once', async () => {
    const hooked = await open({ config: { webhooks: { maxPerTenant: 3, allow: ['127.0.0.0/8'] } } });
    const results = await Promise.allSettled(Array.from({ length: 12 }, () => hooked.hook('http://127.0.0.1:9/')));
    const made = results.filter(({ status }) => status === 'fulfilled');
    expect(made).toHaveLength(3);
    const refused = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason);
    expect(refused).toEqual(
      Array.from({ length: 9 }, () => expect.objectContaining({ code: 'webhook_limit_reached' })),
    );
  });
});

describe('a lane whose job is gone for good', () => {
  it('resumes, whether it was running or waiting', async () => {
    const clock = createDrivenClock();
    const storage = createMemoryStorage();
    const first = await open({ storage, clock });
    let status = 500;
    const { receiver, id } = await receiverOf(first, (_, response) => response.writeHead(status).end());
    await change(first, 1);
    await receiver.received(1);
    const { tenant } = context.caller;
    const lane = async () => await storage.get(tenant, 'webhookLanes', id);
    await expect.poll(async () => (await lane())?.alarm).toBeTypeOf('string');
    await expect.poll(async () => (await lane())?.run).toBe(null);
    await first.app.host.stop(0);
    await storage.commit(tenant, [{ deleteWhere: 'jobs', where: {} }]);

    // It waited for its second attempt.
    const second = await open({ storage, clock });
    const parts = { storage, clock, queue: second.app.host.resolve(services.queue) };
    expect(await healLanes(parts)).toBe(0);
    clock.advance(120_000);
    status = 200;
    expect(await healLanes(parts)).toBe(1);
    await receiver.received(2);
    await expect.poll(async () => (await lane())?.run).toBe(null);

    // It was running.
    const heldUntil = new Date(clock.now() + 60_000).toISOString();
    await storage.commit(tenant, [{ update: 'webhookLanes', id, set: { run: 'run_lost', heldUntil } }]);
    expect(await healLanes(parts)).toBe(0);
    clock.advance(60_000);
    expect(await healLanes(parts)).toBe(1);
    await expect.poll(async () => (await lane())?.run).toBe(null);
    await storage.commit(tenant, [{ update: 'webhookLanes', id, set: { run: 'run_lost', heldUntil } }]);
    // The next event does not wait for the next check.
    await change(second, 1);
    await receiver.received(3);
    expect(receiver.forged).toEqual([]);
    vi.restoreAllMocks();
  });
});
