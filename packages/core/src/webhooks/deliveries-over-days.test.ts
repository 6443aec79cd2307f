import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { summarize } from '../functions/fixtures/function-parts.ts';
import { createDrivenClock } from './fixtures/driven-clock.ts';
import { context, createHookedApp, type HookedApp } from './fixtures/hooked-app.ts';
import { type SignedReceiver, signedReceiver } from './fixtures/signed-receiver.ts';
import { sweepWebhooks } from './webhook-dispatcher.ts';

// Days of failures in seconds: the clock moves only when a test moves it, and everything else is real.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const schedule = [0, 5_000, 5 * MINUTE, 30 * MINUTE, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR)];

let clock: ReturnType<typeof createDrivenClock>;
let hooked: HookedApp;
let receiver: SignedReceiver;
/** The response of the receiver. */
let status: number;
let retryAfter: string | undefined;

beforeEach(async () => {
  clock = createDrivenClock();
  status = 500;
  retryAfter = undefined;
  hooked = await createHookedApp({ clock });
  receiver = await signedReceiver((_, response) => {
    response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end('no');
  });
});

afterEach(async () => {
  await hooked.app.host.stop(0);
  await receiver.close();
  vi.restoreAllMocks();
});

async function hook(given: Parameters<HookedApp['hook']>[1] = {}) {
  const { row, secret } = await hooked.hook(receiver.url, given);
  receiver.trust(secret);
  return row;
}

const change = () => hooked.app.services.functions.create(summarize, context);

/** Resolves once nothing is in progress: no job is due or being worked on, and every lane is left. */
async function settled(): Promise<void> {
  const underWay = async () => {
    const jobs = await hooked.storage.scanAllTenants('jobs', {}, 100, 'dueAt');
    const lanes = await hooked.storage.scanAllTenants('webhookLanes', {}, 100);
    const due = jobs.filter(({ row }) => row.attempt > 0 || Date.parse(row.dueAt) <= clock.now());
    return due.length + lanes.filter(({ row }) => row.run !== null).length;
  };
  await expect.poll(underWay, { interval: 5 }).toBe(0);
}

/** Move the clock to just before something, where nothing must happen, and then to it. */
async function advanceTo(dueAt: string | null): Promise<void> {
  const before = receiver.messages.length;
  clock.advance(Date.parse(dueAt ?? '') - clock.now() - 1);
  await settled();
  expect(receiver.messages).toHaveLength(before);
  clock.advance(1);
  await receiver.received(before + 1);
  await settled();
}

describe('a receiver that is down', () => {
  it('a receiver that is down gets ten attempts within 76 hours, as the schedule says, and then no more', async () => {
    const { id } = await hook({ events: ['function.created'] });
    await change();
    await receiver.received(1);
    await settled();
    const delays: number[] = [];
    for (let attempt = 2; attempt <= 10; attempt += 1) {
      const [row] = await hooked.deliveries(id);
      expect(row).toMatchObject({ state: 'waiting', attempts: attempt - 1 });
      delays.push(Date.parse(row?.dueAt ?? '') - clock.now());
      await advanceTo(row?.dueAt ?? null);
    }
    for (const [index, delay] of delays.entries()) {
      const base = schedule[index + 1] ?? 0;
      expect(delay).toBeGreaterThanOrEqual(base * 0.8);
      expect(delay).toBeLessThanOrEqual(base * 1.2);
    }
    const [row] = await hooked.deliveries(id);
    expect(row).toMatchObject({ state: 'failed', attempts: 10, dueAt: null, lane: null });
    expect(row?.log).toHaveLength(10);
    expect(row?.log[0]).toMatchObject({ status: 500, failure: 'status', response: 'no' });
    clock.advance(3 * DAY);
    await settled();
    expect(receiver.messages).toHaveLength(10);
    expect(new Set(receiver.messages.map((message) => message.id)).size).toBe(1);
    expect(receiver.forged).toEqual([]);
  });

  it('a receiver that is up again gets what it missed, under the same id', async () => {
    const { id } = await hook({ events: ['function.created'] });
    await change();
    await receiver.received(1);
    await settled();
    status = 204;
    await advanceTo((await hooked.deliveries(id))[0]?.dueAt ?? null);
    expect((await hooked.deliveries(id))[0]).toMatchObject({ state: 'delivered', attempts: 2, lane: null });
    expect(new Set(receiver.messages.map((message) => message.id)).size).toBe(1);
    const lane = await hooked.storage.get(context.caller.tenant, 'webhookLanes', id);
    expect(lane).toMatchObject({ run: null, failingSince: null });
  });

  it('Retry-After is honoured up to twice the scheduled delay', async () => {
    const { id } = await hook({ events: ['function.created'] });
    status = 429;
    retryAfter = '3600';
    await change();
    await receiver.received(1);
    await settled();
    const [row] = await hooked.deliveries(id);
    expect(Date.parse(row?.dueAt ?? '') - clock.now()).toBe(10_000);
    const lane = await hooked.storage.get(context.caller.tenant, 'webhookLanes', id);
    expect(Date.parse(lane?.pausedUntil ?? '') - clock.now()).toBe(MINUTE);
    // Others wait as well.
    await change();
    await settled();
    expect(receiver.messages).toHaveLength(1);
    status = 200;
    clock.advance(MINUTE);
    await receiver.received(3);
    await settled();
    expect((await hooked.deliveries(id)).map(({ state }) => state)).toEqual(['delivered', 'delivered']);
  });
});

describe('a receiver that is gone', () => {
  it('a 410 disables the webhook at once, with an event and an audit entry', async () => {
    status = 410;
    const { id } = await hook({ events: ['function.created'] });
    const other = await signedReceiver();
    const second = await hooked.hook(other.url, { events: ['webhook.disabled'] });
    other.trust(second.secret);
    await change();
    expect((await other.received(1))[0]).toMatchObject({
      type: 'webhook.disabled',
      data: { webhookId: id, reason: 'gone' },
    });
    await settled();
    expect(await hooked.app.services.webhooks.get(id, context)).toMatchObject({
      enabled: false,
      disabledReason: 'gone',
    });
    expect((await hooked.deliveries(id))[0]).toMatchObject({ state: 'failed', attempts: 1 });
    const page = { limit: 1, offset: 0, sort: 'sequence', order: 'desc' } as const;
    const { rows } = await hooked.app.services.audit.list({ action: 'webhook.disabled' }, page, context);
    expect(rows).toMatchObject([{ resourceId: id, actorId: 'webhooks', details: { reason: 'gone' } }]);
    await change();
    await settled();
    expect(receiver.messages).toHaveLength(1);
    await other.close();
  });

  it('five days of failures disable the webhook, and a replay sends exactly what it missed', async () => {
    const { id } = await hook({ events: ['function.created'] });
    status = 200;
    await change();
    await receiver.received(1);
    await settled();
    status = 503;
    clock.advance(1);
    const since = new Date(clock.now()).toISOString();
    const day = async () => {
      await change();
      await settled();
      for (let step = 0; step < 24; step += 1) {
        clock.advance(HOUR);
        await settled();
      }
    };
    for (let count = 1; count <= 5; count += 1) {
      expect(await hooked.app.services.webhooks.get(id, context)).toMatchObject({ enabled: true });
      await day();
    }
    await change();
    await settled();
    expect(await hooked.app.services.webhooks.get(id, context)).toMatchObject({
      enabled: false,
      disabledReason: 'failing',
    });
    const before = receiver.messages.length;
    await day();
    expect(receiver.messages).toHaveLength(before);
    await expect(hooked.app.services.webhooks.replay(id, since, context)).rejects.toMatchObject({
      code: 'webhook_disabled',
    });

    status = 200;
    const { url, events } = await hooked.app.services.webhooks.get(id, context);
    const input = { url, events: events as never, enabled: true };
    expect(await hooked.app.services.webhooks.replace(id, input, context)).toMatchObject({
      enabled: true,
      disabledReason: null,
    });
    await hooked.app.services.webhooks.replay(id, since, context);
    const all = await hooked.storage.scanAllTenants('webhookEvents', {}, 100, 'createdAt');
    const missed = all.map(({ row }) => row).filter((row) => row.type === 'function.created' && row.createdAt >= since);
    expect(missed).toHaveLength(7);
    await expect
      .poll(async () => (await hooked.deliveries(id)).filter(({ state }) => state === 'delivered').length)
      .toBe(8);
    await settled();
    expect(
      receiver.messages
        .slice(before)
        .map((message) => message.id)
        .toSorted(),
    ).toEqual(missed.map((row) => row.id).toSorted());
    // A second replay has nothing to do.
    await hooked.app.services.webhooks.replay(id, since, context);
    await settled();
    expect(receiver.messages).toHaveLength(before + 7);
  });
});

describe('a changed address', () => {
  it('a new URL resets the failures, and gets what waits', async () => {
    const { id } = await hook({ events: ['function.created'] });
    await change();
    await receiver.received(1);
    await settled();
    const lane = async () => await hooked.storage.get(context.caller.tenant, 'webhookLanes', id);
    expect((await lane())?.failingSince).toBeTypeOf('string');
    status = 200;
    await hooked.app.services.webhooks.replace(
      id,
      { url: `${receiver.url}/new`, events: ['function.created'] },
      context,
    );
    await settled();
    expect((await lane())?.failingSince).toBe(null);
    await advanceTo((await hooked.deliveries(id))[0]?.dueAt ?? null);
    expect((await hooked.deliveries(id))[0]?.state).toBe('delivered');
  });
});

describe('expiry', () => {
  it('an event is swept after thirty days, with its deliveries', async () => {
    status = 200;
    const { id } = await hook();
    await change();
    await receiver.received(1);
    await settled();
    clock.advance(30 * DAY);
    expect(await sweepWebhooks(hooked.storage, clock, 30)).toBe(0);
    clock.advance(1);
    expect(await sweepWebhooks(hooked.storage, clock, 30)).toBe(1);
    expect(await hooked.deliveries(id)).toEqual([]);
  });

  it('signatures with the previous secret end a day after a rotation', async () => {
    status = 200;
    const { id } = await hook({ events: ['function.created'] });
    const { secret } = await hooked.app.services.webhooks.rotateSecret(id, context);
    await change();
    // The receiver knows the old secret only.
    await receiver.received(1);
    await settled();
    clock.advance(DAY);
    await change();
    await expect.poll(() => receiver.forged.length).toBe(1);
    await settled();
    receiver.trust(secret);
    await advanceTo((await hooked.deliveries(id)).at(-1)?.dueAt ?? null);
    expect(receiver.messages).toHaveLength(2);
  });
});
