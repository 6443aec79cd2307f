import { createClient } from '@patchbay/client';
import demo from '@patchbay/provider-demo';
import {
  type ReadEvent,
  type Reply,
  readEvents,
  startUpstream,
  type Upstream,
  upstreamReplies,
} from '@patchbay/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminKey } from '../driver/server-process.ts';
import { startGateway, type TestGateway } from './start-gateway.ts';
import { type Vendor, vendorKey, vendors } from './vendors.ts';

// Outputs that are seen while a model writes them, from the socket of the vendor to the loop of the application.

const plan = { title: 'A plan of two steps', steps: ['one step', 'and another'] };
const shape = { title: 'a title', steps: ['what to do'] } as const;
const output = {
  type: 'object',
  properties: { title: { type: 'string' }, steps: { type: 'array', items: { type: 'string' } } },
  required: ['title', 'steps'],
} as const;

const ways = ['structured-output', 'tools', 'words'] as const;
type Way = (typeof ways)[number];

const cases = vendors.flatMap((vendor) =>
  ways.map((way, index) => ({ vendor, way, mount: `${vendor.name}-${index}`, name: vendor.name })),
);

let upstreams: Readonly<Record<string, Upstream>>;
let gateway: TestGateway;
beforeEach(async () => {
  const started = await Promise.all(
    cases.map(async ({ vendor, mount }) => [mount, await startUpstream({ dialect: vendor.name })] as const),
  );
  upstreams = Object.fromEntries(started);
  const mounts = cases.map(({ vendor, way, mount }) => [mount, mountOf(vendor, way, mount)] as const);
  gateway = await startGateway({
    providers: { ...Object.fromEntries(mounts), demo: { use: demo, with: { delayMs: 30 } } },
  });
});
afterEach(async () => {
  await gateway.stop();
  await Promise.all(Object.values(upstreams).map((upstream) => upstream.stop()));
});

function mountOf({ plugin, name }: Vendor, way: Way, mount: string) {
  const capabilities = way === 'words' ? ['chat'] : ['chat', way];
  const models = [{ vendor: name, name: 'text', capabilities }];
  return { use: plugin, with: { apiKey: vendorKey, baseUrl: upstreams[mount]?.baseUrl, models } };
}

/** Responses of a model to each technique of requesting an object. */
function answerOf(value: object, way: Way) {
  if (way === 'tools') return { toolCalls: [{ name: 'answer', arguments: value as typeof plan }] };
  const text = JSON.stringify(value, null, 1);
  return { text: way === 'words' ? `Here you are:\n\`\`\`json\n${text}\n\`\`\`` : text };
}

async function eventsOf(model: string): Promise<readonly ReadEvent[]> {
  const { text } = await gateway.post('/call/plan', { input: { goal: 'x' }, output, model, stream: true });
  return readEvents(text);
}

const client = () => createClient({ baseUrl: gateway.url, apiKey: adminKey, maxRetries: 0 });

describe.each(cases)('a streamed call of $name, asked for $way', ({ way, mount }) => {
  const script = (...replies: readonly Reply[]) => upstreams[mount]?.script(...replies);
  const model = `${mount}/text`;

  it('shows objects that grow, then the whole', async () => {
    script(upstreamReplies.healthy(answerOf(plan, way)));
    const events = await eventsOf(model);
    expect(events[0]?.event).toBe('start');
    expect(events.at(-1)).toMatchObject({
      event: 'done',
      data: { id: events[0]?.data['id'], source: 'generated', output: plan, model },
    });
    const shown = events.slice(1, -1);
    expect(shown.every(({ event }) => event === 'delta')).toBe(true);
    for (const { data } of shown) expect(plan).toMatchObject(wholeMembers(data['output'] as object));
    expect(upstreams[mount]?.requests).toHaveLength(1);
  });

  it('reports an answer that does not fit, and asks the model again', async () => {
    script(
      upstreamReplies.healthy(answerOf({ title: 'A list', steps: 'none at all' }, way)),
      upstreamReplies.healthy(answerOf(plan, way)),
    );
    const events = await eventsOf(model);
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { output: plan, totalTokens: 36 } });
    // Output that was not sent is not restarted, and no other output remains.
    const restarts = events.filter(({ event }) => event === 'restart').map(({ data }) => data['detail']);
    expect(restarts.every((detail) => String(detail).includes('did not fit'))).toBe(true);
    const after = events.slice(events.findLastIndex(({ event }) => event === 'restart') + 1);
    expect(JSON.stringify(after)).not.toContain('A list');
    expect(upstreams[mount]?.requests).toHaveLength(2);
  });

  // Google sends calls whole, so that nothing is seen before.
  it.skipIf(way === 'tools' && mount.startsWith('google'))(
    'is seen by the client piece by piece, and ends at the socket of the vendor when the loop is left',
    async () => {
      script(upstreamReplies.hangMidStream(answerOf(plan, way)));
      const stream = client().AI({ plan: shape }).plan.stream({ goal: 'x' }, { model });
      for await (const part of stream) {
        expect(plan.title.startsWith(part.title ?? '')).toBe(true);
        expect(part.title).toBeTruthy();
        break;
      }
      await upstreams[mount]?.whenSocketsClosed();
      await expect(stream.final()).rejects.toMatchObject({ name: 'AbortError' });
      const log = gateway.log();
      expect(log).not.toContain(plan.title);
    },
  );
});

/** Members that cannot have been cut. */
function wholeMembers(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member === plan.title));
}

it('a stream marks discarded text as such, and starts over', async () => {
  const { mount } = cases[0] as (typeof cases)[number];
  const wrong = { title: 'Wrong', steps: 'none', and: 'so on' };
  // The first answer ends once its beginning was seen.
  const seen = Promise.withResolvers<void>();
  upstreams[mount]?.script(
    upstreamReplies.pausedMidStream(answerOf(wrong, 'structured-output'), seen.promise),
    upstreamReplies.healthy(answerOf(plan, 'structured-output')),
  );
  const model = `${mount}/text`;
  const stream = client().AI({ plan: shape }).plan.stream({ goal: 'x' }, { model });
  const titles: (string | undefined)[] = [];
  for await (const { title } of stream) {
    titles.push(title);
    seen.resolve();
  }
  expect(titles[0]).toBe('Wrong');
  expect(titles.at(-1)).toBe(plan.title);
  const { data, meta } = await stream.withMeta();
  expect(data).toEqual(plan);
  expect(meta.warnings).toEqual([expect.stringContaining('asked again once')]);
});

it('a stream of a stored function that a model does leaves an execution, also when it is left', async () => {
  const { mount } = cases[0] as (typeof cases)[number];
  const { functions, ai } = client();
  const input = { type: 'object', properties: { goal: { type: 'string' } } } as const;
  const settings = { model: `${mount}/text` };
  const stored = await functions.create({ name: 'Make a Plan', input, output, code: '', settings });
  upstreams[mount]?.script(upstreamReplies.healthy(answerOf(plan, 'structured-output')));
  const stream = ai['makeAPlan'].stream({ goal: 'x' });
  const pieces: object[] = [];
  for await (const piece of stream) pieces.push(piece);
  expect(pieces.at(-1)).toEqual(plan);
  const { meta } = await stream.withMeta();
  expect(meta).toMatchObject({ source: 'stored', functionId: stored.id, totalTokens: 18 });

  upstreams[mount]?.script(upstreamReplies.hangMidStream(answerOf(plan, 'structured-output')));
  for await (const _ of ai['makeAPlan'].stream({ goal: 'y' })) break;
  await upstreams[mount]?.whenSocketsClosed();
  const statuses = async () => {
    const response = await fetch(`${gateway.url}/functions/${stored.id}/executions`, {
      headers: { authorization: `Bearer ${adminKey}` },
    });
    const { data } = (await response.json()) as { readonly data: readonly { readonly status: string }[] };
    return data.map(({ status }) => status).sort();
  };
  await expect.poll(statuses).toEqual(['cancelled', 'completed']);
});

it.each(['call', 'generate'] as const)(
  'a %s stream that is left before its first piece ends at the vendor',
  async (kind) => {
    const { mount } = cases[0] as (typeof cases)[number];
    const upstream = upstreams[mount] as Upstream;
    upstream.script(upstreamReplies.hang());
    const controller = new AbortController();
    const reason = new Error('enough');
    const { signal } = controller;
    const model = `${mount}/text`;
    const { AI, generate } = client();
    const arrived = upstream.nextRequest();
    // Both send an idempotency key, which would have a request without a stream go on.
    const reading =
      kind === 'call'
        ? AI({ plan: shape }).plan.stream({ goal: 'x' }, { model, signal }).final()
        : generate({ prompt: 'x', model, stream: true }, { signal }).final();
    reading.catch(() => undefined);
    await arrived;
    controller.abort(reason);
    await expect(reading).rejects.toBe(reason);
    await upstream.whenSocketsClosed();
    expect(upstream.requests).toHaveLength(1);
  },
);

it('words of a call stand in the log with its id, and are no part of the answer', async () => {
  const { mount } = cases[0] as (typeof cases)[number];
  upstreams[mount]?.script(upstreamReplies.healthy(answerOf(plan, 'structured-output')));
  const options = { model: `${mount}/text`, metadata: { page: 'page-of-the-call' } };
  const { meta } = await client().AI({ plan: shape }).plan({ goal: 'x' }, options).withMeta();
  expect(JSON.stringify(meta)).not.toContain('page-of-the-call');
  const line = gateway.log().split('call by name')[1] ?? '';
  expect(line).toContain('page-of-the-call');
  expect(line).toContain(meta.id);
});

it('a failure after the first piece ends the stream with what is wrong', async () => {
  const { mount } = cases[0] as (typeof cases)[number];
  upstreams[mount]?.script(upstreamReplies.healthy(answerOf({ title: 'A title', steps: 5 }, 'structured-output')));
  const stream = client()
    .AI({ plan: shape })
    .plan.stream({ goal: 'x' }, { model: `${mount}/text` });
  await expect(stream.final()).rejects.toMatchObject({ code: 'function_output_invalid' });
});

it('the demo is seen word by word', async () => {
  const text =
    'Patch bays connect things. They are made of sockets. Cables go between the sockets. Nobody counts them.';
  const model = 'demo/extractive';
  const stream = client()
    .AI({ summarize: { summary: 'a summary' } })
    .summarize.stream({ text }, { model });
  const seen: string[] = [];
  for await (const { summary = '' } of stream) seen.push(summary);
  const whole = seen.at(-1) ?? '';
  expect(seen.length).toBeGreaterThan(2);
  expect(seen.every((part) => whole.startsWith(part))).toBe(true);
  expect(await stream.final()).toEqual({ summary: whole });
});

it('a stream with an idempotency key is given again without what its end has as well', async () => {
  const { mount } = cases[0] as (typeof cases)[number];
  upstreams[mount]?.script(upstreamReplies.healthy(answerOf(plan, 'structured-output')));
  const call = () =>
    client()
      .AI({ plan: shape })
      .plan.stream({ goal: 'x' }, { model: `${mount}/text`, idempotencyKey: 'once' });
  expect(await call().final()).toEqual(plan);
  const again = call();
  const pieces: object[] = [];
  for await (const piece of again) pieces.push(piece);
  expect(pieces).toEqual([plan]);
  expect(upstreams[mount]?.requests).toHaveLength(1);
});
