/**
 * How long an event takes to reach its webhooks, with every receiver healthy, and with one in ten that never answers.
 *
 *     pnpm build && node --conditions=source bench/webhook-neighbours.ts [rounds]
 */
import { setTimeout as delay } from 'node:timers/promises';
import { openScorecard } from '../scripts/scorecard/open-scorecard.ts';
import { startPatchbay, startWebhookReceiver } from './server-child.ts';

const scorecard = openScorecard('webhook-neighbours');

const rounds = Number(process.argv[2] ?? 10);
const TENANTS = 5;
const WEBHOOKS = 100;

const tenants = Array.from({ length: TENANTS }, (_, number) => `tenant${number}`);
const keyOf = (tenant: string) => `key-of-${tenant}-0123456789-0123456789`;
const receiver = await startWebhookReceiver();
const patchbay = await startPatchbay(`patchbay: 1
storage: { use: "@patchbay/store-sqlite", with: { file: ./patchbay.db } }
authenticators:
${tenants.map((name) => `  ${name}: { use: "@patchbay/auth-api-key", with: { tenant: ${name}, bootstrapKey: ${keyOf(name)} } }`).join('\n')}
executor: { use: "@patchbay/executor-deno" }
secretFile: ./secret
limits: { off: true }
webhooks: { allow: ["127.0.0.0/8"], maxPerTenant: ${WEBHOOKS} }
`);

async function ask(tenant: string, method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${keyOf(tenant)}`, 'content-type': 'application/json' };
  const response = await fetch(patchbay.url + path, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}

const source = { name: 'Echo', input: { type: 'object' }, output: { type: 'object' }, code: 'export default (a) => a' };
const arrivals = async () => (await (await fetch(receiver.url)).json()) as { path: string; at: number }[];

/** One event in each tenant, again and again; the milliseconds until each healthy receiver had it. */
async function measure(healthy: number): Promise<number[]> {
  const took: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = (await arrivals()).length;
    const start = Date.now();
    await Promise.all(tenants.map((tenant) => ask(tenant, 'POST', '/functions', source)));
    let all: { at: number }[] = [];
    for (let tries = 0; tries < 300 && all.length < healthy; tries += 1) {
      await delay(100);
      all = (await arrivals()).slice(before);
    }
    if (all.length !== healthy) throw new Error(`${all.length} of ${healthy} came`);
    took.push(...all.map(({ at }) => at - start));
  }
  return took.sort((one, other) => one - other);
}

const webhooks: { tenant: string; id: string; number: number }[] = [];
for (const tenant of tenants) {
  for (let number = 0; number < WEBHOOKS; number += 1) {
    const url = `${receiver.url}/ok/${tenant}/${number}`;
    const { id } = await ask(tenant, 'POST', '/webhooks', { url, events: ['function.created'] });
    webhooks.push({ tenant, id: String(id), number });
  }
}
const total = webhooks.length;
await measure(total);
const alone = await measure(total);
for (const { tenant, id, number } of webhooks.filter((_, index) => index % 10 === 0)) {
  const url = `${receiver.url}/hang/${tenant}/${number}`;
  await ask(tenant, 'PUT', `/webhooks/${id}`, { url, events: ['function.created'] });
}
const beside = await measure(total - total / 10);
const at = (all: readonly number[], share: number) =>
  all[Math.min(Math.floor(all.length * share), all.length - 1)] ?? 0;
console.log(`${total} webhooks, milliseconds from the request that makes the event to its arrival`);
for (const share of [0.5, 0.99, 1]) {
  const [one, other] = [at(alone, share), at(beside, share)];
  console.log(`p${share * 100}: ${one} with all healthy, ${other} with ${total / 10} that hang: ${other - one} more`);
}
const later = (what: string, share: number) => ({
  what: `an event on its way to ${total - total / 10} webhooks, with ${total / 10} more that hang: ${what}, later than to ${total} healthy ones`,
  value: at(beside, share) - at(alone, share),
  unit: 'ms',
  target: { most: 1_000 },
  note: `${at(alone, share)} ms to healthy ones`,
});
scorecard.record([later('p99', 0.99), later('the last one', 1)]);
await patchbay.stop();
await receiver.stop();
