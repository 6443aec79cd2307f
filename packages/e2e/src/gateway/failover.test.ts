import openai from '@patchbay/provider-openai';
import { startUpstream, type Upstream, upstreamReplies } from '@patchbay/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Door, openDoor } from './door.ts';
import { startLoad } from './load.ts';
import { startGateway, type TestGateway } from './start-gateway.ts';

// Two providers that have the same model, under load. One of them gets ill, and recovers.

const AT_A_TIME = 20;
const body = { messages: [{ role: 'user', content: 'Hello' }] };
const usual = upstreamReplies.delayed(60, upstreamReplies.healthy());

let east: Upstream;
let west: Upstream;
let door: Door;
let gateway: TestGateway;
/** Milliseconds by which the gateway's clock is ahead. */
let advanced: number;
/** Longer than a circuit is open that was opened a few times. */
const OPEN_MS = 300_000;
beforeEach(async () => {
  [east, west] = await Promise.all([startUpstream({ dialect: 'openai' }), startUpstream({ dialect: 'openai' })]);
  door = await openDoor(west.url);
  for (const upstream of [east, west]) upstream.script(usual);
  const models = [{ name: 'twin', vendor: 'none', quality: 0.9, pricing: { input: 1, output: 4 } }];
  const provider = (url: string) => ({ use: openai, with: { apiKey: 'sk-twin', baseUrl: `${url}/v1`, models } });
  advanced = 0;
  const clock = { now: () => Date.now() + advanced, monotonic: () => performance.now() + advanced };
  gateway = await startGateway({ providers: { east: provider(east.url), west: provider(door.url) } }, clock);
});
afterEach(async () => {
  await gateway.stop();
  await door.close();
  await Promise.all([east.stop(), west.stop()]);
});

interface Explained {
  readonly id: string;
  readonly state: string;
  readonly reason: string;
  readonly score: number;
}

async function explained(): Promise<Readonly<Record<'east' | 'west', Explained>>> {
  const { text } = await gateway.post('/models/explain', body);
  const { data } = JSON.parse(text) as { readonly data: readonly Explained[] };
  const of = (id: string) => data.find((each) => each.id === id) as Explained;
  return { east: of('east/twin'), west: of('west/twin') };
}

const patiently = { timeout: 30_000, interval: 50 };

const illnesses = [
  {
    name: 'killed',
    fall: () => door.close(),
    recover: () => door.open(),
    isTold: ({ west: ill }: Awaited<ReturnType<typeof explained>>) =>
      ill.state === 'open' && /[1-9]\d* % failures/.test(ill.reason),
  },
  {
    name: 'rate limited',
    fall: async () => west.script(upstreamReplies.status(429, { retryAfter: '1' })),
    recover: async () => west.script(usual),
    isTold: ({ west: ill }: Awaited<ReturnType<typeof explained>>) => ill.state === 'open',
  },
  {
    name: 'slow',
    fall: async () => west.script(upstreamReplies.delayed(1_000, upstreamReplies.healthy())),
    recover: async () => west.script(usual),
    isTold: ({ east: well, west: ill }: Awaited<ReturnType<typeof explained>>) =>
      ill.score < well.score && Number(/about (\d+) ms/.exec(ill.reason)?.[1]) > 500,
  },
];

describe('two equal providers under load', () => {
  it.each(illnesses)(
    'no request fails while one is $name; the reason is shown, and its share comes back',
    async ({ fall, recover, isTold }) => {
      const load = startLoad(gateway, '/chat', body, AT_A_TIME);
      await Promise.all([east.nextRequest(), west.nextRequest()]);

      await fall();
      await expect.poll(async () => isTold(await explained()), patiently).toBe(true);
      const wellBefore = east.requests.length;
      await expect.poll(() => east.requests.length, patiently).toBeGreaterThan(wellBefore + AT_A_TIME);

      await expect.poll(() => load.answered, patiently).toBeGreaterThan(2 * AT_A_TIME);

      // The clock moves between two loads: a request that saw it jump would count as slow.
      expect(await load.stop()).toEqual([]);
      const illBefore = west.requests.length;
      await recover();
      advanced += OPEN_MS;
      const next = startLoad(gateway, '/chat', body, AT_A_TIME);
      await expect.poll(() => west.requests.length, patiently).toBeGreaterThan(illBefore + AT_A_TIME);
      await expect.poll(async () => (await explained()).west.state, patiently).toBe('closed');
      expect(await next.stop()).toEqual([]);
    },
    100_000,
  );
});

it('a provider that was slow gets its share again within 30 seconds, also without load', async () => {
  const quick = upstreamReplies.healthy();
  const ask = async (times: number): Promise<readonly number[]> => {
    const [eastBefore, westBefore] = [east.requests.length, west.requests.length];
    for (let time = 0; time < times; time += 1) expect((await gateway.post('/chat', body)).status).toBe(200);
    return [east.requests.length - eastBefore, west.requests.length - westBefore];
  };
  east.script(quick);
  west.script(upstreamReplies.delayed(1_500, quick));
  while (east.requests.length === 0 || west.requests.length === 0) await ask(1);

  west.script(quick);
  expect(await ask(20)).toEqual([20, 0]);
  expect((await explained()).west).toMatchObject({ reason: expect.stringMatching(/about 1\d{3} ms/), state: 'closed' });
  advanced += 10_000;
  expect((await explained()).west.reason).toMatch(/down from 1\d{3} ms that were seen \d\d s ago/);

  advanced += 5_000;
  const [, again = 0] = await ask(20);
  expect(again).toBeGreaterThan(0);
  // One answer is enough to be believed.
  expect((await explained()).west.reason).not.toMatch(/1\d{3} ms/);
});
