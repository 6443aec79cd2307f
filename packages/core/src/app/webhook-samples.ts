import type { Clock } from '../contracts/clock.ts';
import type { WebhookLaneRow } from '../contracts/rows.ts';
import type { Storage } from '../contracts/storage.ts';
import type { Sample } from '../contracts/telemetry.ts';
import type { TenantId } from '../contracts/tenant.ts';

/** Webhooks that are looked at. */
const MOST_LANES = 1_000;

/** Of these, those whose deliveries are counted: enough to see that much is waiting. */
const MOST_COUNTED = 100;

/** Counted at a time, so that requests find the storage free. */
const AT_ONCE = 5;

interface Lane {
  readonly tenant: TenantId;
  readonly row: WebhookLaneRow;
}

/** What waits to be sent to webhooks, and how their receivers are: of all of them together. */
export async function webhookSamples(storage: Storage, clock: Clock): Promise<readonly Sample[]> {
  const now = clock.now();
  const lanes: readonly Lane[] = await storage.scanAllTenants('webhookLanes', {}, MOST_LANES);
  const busy = lanes.filter(({ row }) => row.run !== null || row.alarm !== null).slice(0, MOST_COUNTED);
  const waiting = { deliveries: 0, oldest: now };
  for (let at = 0; at < busy.length; at += AT_ONCE) {
    for (const { total, dueAt } of await Promise.all(
      busy.slice(at, at + AT_ONCE).map((lane) => count(storage, lane)),
    )) {
      waiting.deliveries += total;
      waiting.oldest = Math.min(waiting.oldest, dueAt ?? now);
    }
  }
  const failing = lanes.flatMap(({ row }) => (row.failingSince === null ? [] : [Date.parse(row.failingSince)]));
  const paused = lanes.filter(({ row }) => row.pausedUntil !== null && Date.parse(row.pausedUntil) > now);
  return [
    { name: 'patchbay.webhook.deliveries', value: waiting.deliveries },
    { name: 'patchbay.webhook.oldest', value: (now - waiting.oldest) / 1_000 },
    { name: 'patchbay.webhook.receivers', value: failing.length, attributes: { state: 'failing' } },
    { name: 'patchbay.webhook.receivers', value: paused.length, attributes: { state: 'paused' } },
    { name: 'patchbay.webhook.failing', value: Math.max(0, now - Math.min(now, ...failing)) / 1_000 },
  ];
}

async function count(storage: Storage, { tenant, row }: Lane) {
  const query = { where: { lane: row.id }, sort: 'dueAt', order: 'asc', limit: 1, select: ['dueAt'] } as const;
  const { rows, total } = await storage.list(tenant, 'webhookDeliveries', query);
  return { total, dueAt: rows[0]?.dueAt ? Date.parse(rows[0].dueAt) : undefined };
}
