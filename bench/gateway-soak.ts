/**
 * Whether a gateway grows under load: chats, forwarded requests and streams of several sizes, at a steady rate.
 *
 *     tsc -b && node --conditions=source bench/gateway-soak.ts [minutes] [requests per second] [--record]
 */
import { setTimeout as delay } from 'node:timers/promises';
import { openScorecard } from '../scripts/scorecard/open-scorecard.ts';
import { agentMessages } from './agent-request.ts';
import { startChild } from './gateway-children.ts';
import { gatewayConfig } from './gateway-config.ts';
import { key, residentBytes, startPatchbay } from './server-child.ts';

const scorecard = openScorecard('gateway-soak');
const [minutes, perSecond] = [Number(process.argv[2] ?? 10), Number(process.argv[3] ?? 200)];
const SAMPLES = 100;

const upstream = await startChild('gateway-upstream.ts');
const patchbay = await startPatchbay(gatewayConfig(upstream.url));

const model = 'openai/gpt-4.1';
const messages = [{ role: 'user', content: 'Hello, who are you?' }];
const requests = [
  { path: '/chat', body: { model, messages } },
  { path: '/chat', body: { model, messages: agentMessages } },
  { path: '/chat', body: { model, messages, maxTokens: 200, stream: true } },
  { path: '/v1/chat/completions', body: { model, messages } },
  { path: '/v1/chat/completions', body: { model, messages: agentMessages } },
  { path: '/v1/chat/completions', body: { model, messages, max_tokens: 200, stream: true } },
  { path: '/v1/messages', body: { model, messages, max_tokens: 200, stream: true } },
].map(({ path, body }) => ({ path, text: JSON.stringify(body) }));

/** Number of failures by reason. */
const failures = new Map<string, number>();
const failed = (reason: string): void => void failures.set(reason, (failures.get(reason) ?? 0) + 1);
async function send({ path, text }: (typeof requests)[number]): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  try {
    const response = await fetch(patchbay.url + path, { method: 'POST', headers, body: text });
    await response.arrayBuffer();
    if (!response.ok) failed(`status ${response.status}`);
  } catch (error) {
    failed(String((error as Error).cause ?? error));
  }
}

const start = performance.now();
const sizes: number[] = [];
const sending = new Set<Promise<void>>();
const count = minutes * 60 * perSecond;
for (let number = 0; number < count; number += 1) {
  await delay(Math.max(start + (number * 1_000) / perSecond - performance.now(), 0));
  const sent = send(requests[number % requests.length] as (typeof requests)[number]).finally(() =>
    sending.delete(sent),
  );
  sending.add(sent);
  if (number % Math.ceil(count / SAMPLES) === 0) sizes.push(residentBytes(patchbay.pid) / 1_048_576);
}
await Promise.all(sending);

/** The median of a fifth of the samples. */
function fifth(place: number): number {
  const size = sizes.length / 5;
  const own = sizes.slice(place * size, (place + 1) * size).toSorted((one, two) => one - two);
  return own[own.length >> 1] ?? 0;
}
const medians = Array.from({ length: 5 }, (_, place) => Math.round(fifth(place)));
console.log(`${count} requests in ${minutes} minutes; resident memory by fifths: ${medians.join(', ')} MiB`);
if (failures.size > 0) throw new Error(`of ${count} requests failed: ${JSON.stringify([...failures])}`);
scorecard.record([
  {
    what: `resident memory in the last fifth of ${minutes} minutes under load, of that in the second`,
    value: fifth(4) / fifth(1),
    unit: 'times',
    target: { most: 1.1 },
    note: `${medians[4]} MiB after ${medians[1]} MiB, ${perSecond} requests/s`,
  },
]);
await patchbay.stop();
await upstream.stop();
