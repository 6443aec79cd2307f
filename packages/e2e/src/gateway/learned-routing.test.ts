import { startUpstream, type Upstream, upstreamReplies } from '@patchbay/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminKey } from '../driver/server-process.ts';
import { startGateway, type TestGateway } from './start-gateway.ts';
import { vendorKey, vendors } from './vendors.ts';

// One model is ten times as dear as the other, and thought to be better. For the functions here, both are equally good.

const output = { type: 'object', properties: { label: { type: 'string' } }, required: ['label'] } as const;
const healthy = upstreamReplies.healthy({ text: '{"label":"spam"}' });

let upstreams: Readonly<Record<'dear' | 'cheap', Upstream>>;
let gateway: TestGateway;
/** Milliseconds by which the clock of the gateway is ahead. */
let advanced = 0;

beforeAll(async () => {
  const [dear, cheap] = await Promise.all([startUpstream({ dialect: 'openai' }), startUpstream({ dialect: 'openai' })]);
  upstreams = { dear, cheap };
  const mountOf = ({ baseUrl }: Upstream, quality: number, price: number) => ({
    use: vendors[0]?.plugin ?? '',
    with: {
      apiKey: vendorKey,
      baseUrl,
      models: [
        {
          name: price > 5 ? 'large' : 'small',
          quality,
          capabilities: ['chat', 'structured-output'],
          pricing: { input: price, output: price * 4 },
        },
      ],
    },
  });
  const clock = { now: () => Date.now() + advanced, monotonic: () => performance.now() + advanced };
  gateway = await startGateway({ providers: { dear: mountOf(dear, 0.9, 10), cheap: mountOf(cheap, 0.6, 1) } }, clock);
});

afterAll(async () => {
  await gateway.stop();
  await Promise.all(Object.values(upstreams).map((upstream) => upstream.stop()));
});

interface Answer {
  readonly id: string;
  readonly model: string;
}

async function call(name: string): Promise<Answer> {
  const { status, text } = await gateway.post(`/call/${name}`, { input: { text: 'Buy now!' }, output });
  expect([status, text]).toEqual([200, expect.stringContaining('spam')]);
  return JSON.parse(text) as Answer;
}

async function score({ id: target }: Answer, value: number): Promise<void> {
  expect((await gateway.post('/feedback', { target, value })).status).toBe(201);
}

/** How many of some calls, each of them scored, the cheap model answered. */
async function cheapOf(calls: number, name: string, value: number): Promise<number> {
  let cheap = 0;
  for (let index = 0; index < calls; index += 1) {
    const answer = await call(name);
    await score(answer, value);
    cheap += Number(answer.model === 'cheap/small');
  }
  return cheap;
}

async function explain(functionName: string) {
  const { text } = await gateway.post('/models/explain', { functionName });
  return (JSON.parse(text) as { readonly data: readonly { readonly id: string; readonly reason: string }[] }).data;
}

describe('a router that learns', () => {
  for (const each of ['dear', 'cheap'] as const) beforeAll(() => upstreams[each].script(healthy));

  it('calls without feedback stay with the model that the catalogue says is best', async () => {
    for (let index = 0; index < 10; index += 1) expect((await call('unjudged')).model).toBe('dear/large');
  });

  it('feedback has the cheap model tried, and chosen once it is as good; explain says by how many scores', async () => {
    expect(await cheapOf(80, 'classify', 1)).toBeGreaterThan(5);
    expect(await cheapOf(30, 'classify', 1)).toBeGreaterThan(20);
    const [first] = await explain('classify');
    expect(first).toMatchObject({ id: 'cheap/small', reason: expect.stringMatching(/at this task, by \d+ scores/) });
    // Another function has its own record.
    expect((await explain('unjudged'))[0]?.id).toBe('dear/large');
  });

  it('a model that fails is left within 20 calls, each of which is answered, and chosen again after it recovered', async () => {
    upstreams.cheap.script(upstreamReplies.status(500));
    const before = upstreams.cheap.requests.length;
    // An exploring call may still meet it until its circuit is open.
    for (let index = 0; index < 30; index += 1) expect((await call('classify')).model).toBe('dear/large');
    expect(upstreams.cheap.requests.length - before).toBeLessThan(20);
    upstreams.cheap.script(healthy);
    advanced += 300_000;
    expect(await cheapOf(20, 'classify', 1)).toBeGreaterThan(10);
  });

  it('a stored function has a record for each version of its settings, and a new one begins with half of it', async () => {
    const written = {
      name: 'Sort mail',
      code: '',
      input: { type: 'object' },
      output,
      settings: { system: 'Sort it.' },
    };
    const { status, text } = await gateway.post('/functions', written);
    expect(status).toBe(201);
    const { id } = JSON.parse(text) as { readonly id: string };
    await cheapOf(10, 'sortMail', 1);
    const scores = async () => {
      const reasons = (await explain('Sort mail')).map(({ reason }) => Number(/by (\d+) scores/.exec(reason)?.[1]));
      return reasons.reduce((sum, each) => sum + each, 0);
    };
    expect(await scores()).toBe(10);
    const changed = await fetch(`${gateway.url}/functions/${id}/settings`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ system: 'Sort it well.' }),
    });
    expect(changed.ok).toBe(true);
    // Each of the two models has half of its earlier scores, rounded.
    expect([4, 5, 6]).toContain(await scores());
  });
});
