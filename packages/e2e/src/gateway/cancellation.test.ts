import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { createClient } from '@patchbay/client';
import { type Reply, startUpstream, type Upstream, type UpstreamRequest, upstreamReplies } from '@patchbay/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isFullSize } from '../driver/is-full-size.ts';
import { adminKey } from '../driver/server-process.ts';
import { fitting, wantsStream } from './replies.ts';
import { compatibleRequests, type GatewayRequest, gatewayRequests } from './requests.ts';
import { startGateway, type TestGateway } from './start-gateway.ts';
import { type Vendor, vendorKey, vendors } from './vendors.ts';

// Clients that leave before they have their answer.

const WITHIN_MS = 250;
/** For a client that has to send a second request to cancel the first. */
const CANCELLED_WITHIN_MS = 1_000;
/** A model call with a key goes on for 5 s after its connection is lost. */
const LOST_WITHIN_MS = 15_000;
const ABANDONED = isFullSize ? 1_000 : 300;

let upstreams: readonly Upstream[] = [];
let gateway: TestGateway;
beforeAll(async () => {
  upstreams = await Promise.all(vendors.map(({ name }) => startUpstream({ dialect: name })));
  // Two of each vendor, which are equal, so that the reason of the router tells how many requests are under way.
  const mounts = vendors.flatMap((vendor, index) =>
    ['', '-twin'].map((suffix) => [`${vendor.name}${suffix}`, mountOf(vendor, upstreams[index]?.baseUrl)] as const),
  );
  gateway = await startGateway({ providers: Object.fromEntries(mounts) });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all(upstreams.map((upstream) => upstream.stop()));
});

function mountOf({ plugin, name }: Vendor, baseUrl: string | undefined) {
  const shared = { vendor: name, quality: 1, pricing: { input: 0, output: 0 } };
  const models = [
    { ...shared, name: 'text', capabilities: ['chat', 'tools'] },
    { ...shared, name: 'vectors', capabilities: ['embeddings'], dimensions: 8 },
  ];
  return { use: plugin, with: { apiKey: vendorKey, baseUrl, models } };
}

const hangsWithin: Reply = (exchange) =>
  (wantsStream(exchange.request) ? upstreamReplies.hangMidStream() : upstreamReplies.hangMidBody())(exchange);

/** How a client asks, and what it takes until its request has ended. */
interface Asking {
  readonly name: string;
  readonly withinMs: number;
  readonly ask: (path: string, body: object, signal: AbortSignal) => Promise<Response>;
}

const viaFetch: Asking = {
  name: 'fetch',
  withinMs: WITHIN_MS,
  ask: (path, body, signal) =>
    fetch(gateway.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    }),
};

const viaClient = (name: string, withinMs: number, key: () => string | undefined): Asking => ({
  name,
  withinMs,
  async ask(path, body, signal) {
    const client = createClient({ baseUrl: gateway.url, apiKey: adminKey });
    const idempotencyKey = key();
    const options = { signal, ...(idempotencyKey !== undefined && { idempotencyKey }) };
    const { text, stream } = await client.request({ ...options, method: 'POST', path, body });
    return new Response(stream ? bytesOf(stream) : text);
  },
});

const askings = [
  viaFetch,
  viaClient('the official client', WITHIN_MS, () => undefined),
  viaClient('the official client with an idempotency key', CANCELLED_WITHIN_MS, () => randomUUID()),
] as const;

function bytesOf(texts: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const iterator = texts[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
  });
}

/** Ask, and leave as soon as the upstream has the request, or, with a stream, the client has its first output. */
async function leave(
  upstream: Upstream,
  request: GatewayRequest,
  model: string,
  reply: Reply,
  { ask }: Asking = viaFetch,
): Promise<UpstreamRequest> {
  const client = new AbortController();
  const town = `Town-${randomUUID()}`;
  const body = JSON.parse(JSON.stringify({ ...request.body, model }).replaceAll('Bern', town)) as object;
  const answering = ask(request.path, body, client.signal);
  // It may be rejected before anybody waits for it.
  answering.catch(() => undefined);
  const arrived = await requestAbout(town, upstream);
  const reader = request.streams && reply === hangsWithin ? await firstOutput(await answering) : undefined;
  client.abort();
  await expect(reader ? reader.read() : answering).rejects.toThrow('aborted');
  return arrived;
}

async function requestAbout(town: string, upstream: Upstream): Promise<UpstreamRequest> {
  for (;;) {
    const found = upstream.requests.find(({ body }) => body.includes(town));
    if (found) return found;
    await upstream.nextRequest();
  }
}

/** In the streams of every API. */
const output = /event: delta|event: content_block_delta|"content":"[^"]/;

async function firstOutput({ body }: Response): Promise<ReadableStreamDefaultReader<Uint8Array>> {
  if (!body) throw new Error('the answer has no body');
  const reader = body.getReader();
  const decoder = new TextDecoder();
  for (let text = ''; !output.test(text); ) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`the stream has no output: ${text}`);
    text += decoder.decode(value, { stream: true });
  }
  return reader;
}

/** Whether the upstream saw its connection close in time. */
async function isClosedInTime({ closed }: UpstreamRequest, withinMs = WITHIN_MS): Promise<boolean> {
  if (!closed.aborted) await Promise.race([once(closed, 'abort'), wait(withinMs)]);
  // What has arrived while the process was held up counts.
  await nextTurn();
  return closed.aborted;
}

/** Requests under way at a model, once the router has drawn it among its equals. */
async function underWay(provider: string, capability: 'chat' | 'embeddings'): Promise<number> {
  const providers = { allow: [provider, `${provider}-twin`] };
  const { text } = await gateway.post('/models/explain', {
    routing: { providers, maxPrice: 0, capabilities: [capability] },
  });
  const { data } = JSON.parse(text) as { readonly data: readonly { readonly id: string; readonly reason?: string }[] };
  const found = data.find(({ id }) => id === `${provider}/${capability === 'chat' ? 'text' : 'vectors'}`);
  return Number(/with (\d+) under way/.exec(found?.reason ?? '')?.[1] ?? Number.NaN);
}

const places = [
  { place: 'before the answer', reply: upstreamReplies.hang() },
  { place: 'within the answer', reply: hangsWithin },
] as const;

describe.each(vendors)('a client of $name that leaves', ({ name, embeds }) => {
  const one = name === vendors[0]?.name;
  const upstreamOf = () => upstreams[vendors.findIndex((vendor) => vendor.name === name)] as Upstream;
  // The way to the server is the same for all vendors.
  const cases = (one ? askings : [viaFetch]).flatMap((asking) =>
    places.flatMap((place) =>
      [...gatewayRequests, ...(asking === viaFetch ? compatibleRequests : [])]
        .filter((request) => embeds || !request.embeds)
        .map((request) => ({ ...place, request, asking, path: request.name, by: asking.name })),
    ),
  );

  it.each(cases)('$path $place by $by closes the connection and takes no slot', async ({ request, reply, asking }) => {
    const upstream = upstreamOf();
    const capability = request.embeds ? 'embeddings' : 'chat';
    const model = `${name}/${capability === 'chat' ? 'text' : 'vectors'}`;
    upstream.script(reply);
    const before = upstream.requests.length;
    const arrived = await leave(upstream, request, model, reply, asking);
    expect(await isClosedInTime(arrived, asking.withinMs)).toBe(true);
    expect(upstream.requests.length - before, 'nothing is asked again').toBe(1);

    upstream.script(fitting());
    const { status, headers } = await gateway.post(request.path, { ...request.body, model });
    expect([status, headers.get('patchbay-route')]).toEqual([200, 'named']);
    await expect.poll(() => underWay(name, capability)).toBe(0);
  });
});

it('a model call with a key whose connection is lost ends after 5 s, and its key is free again', async () => {
  const upstream = upstreams[0] as Upstream;
  const chat = gatewayRequests.find(({ name, streams }) => name.startsWith('chat') && !streams) as GatewayRequest;
  const headers = {
    authorization: `Bearer ${adminKey}`,
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
  };
  const body = JSON.stringify({ ...chat.body, model: `${vendors[0]?.name}/text` });
  const send = (signal?: AbortSignal) =>
    fetch(gateway.url + chat.path, { method: 'POST', headers, body, ...(signal && { signal }) });
  upstream.script(upstreamReplies.hang());
  const arriving = upstream.nextRequest();
  const client = new AbortController();
  const lost = send(client.signal);
  const arrived = await arriving;
  client.abort();
  await expect(lost).rejects.toThrow('aborted');
  expect((await send()).status, 'it goes on for a while').toBe(409);
  expect(arrived.closed.aborted).toBe(false);
  expect(await isClosedInTime(arrived, LOST_WITHIN_MS)).toBe(true);

  upstream.script(fitting());
  await expect.poll(async () => (await send()).status).toBe(200);
}, 30_000);

it('a client that leaves while the gateway still connects leaves no connection behind', async () => {
  const silent = await startUpstream({ dialect: 'openai', tls: 'hang' });
  const provider = vendors[0] as Vendor;
  const slow = await startGateway({ providers: { silent: mountOf(provider, silent.baseUrl) } });
  const client = new AbortController();
  const connecting = silent.nextConnection();
  const answering = slow.post('/chat', { ...gatewayRequests[1]?.body, model: 'silent/text' }, client.signal);
  answering.catch(() => undefined);
  await connecting;
  client.abort();
  await expect(answering).rejects.toThrow('aborted');
  await silent.whenSocketsClosed();
  await slow.stop();
  await silent.stop();
});

it(`${ABANDONED} clients that leave at once leave no connection behind`, async () => {
  for (const upstream of upstreams) upstream.script(hangsWithin);
  const asked = () => upstreams.reduce((sum, { requests }) => sum + requests.length, 0);
  const before = asked();
  const cases = vendors.flatMap(({ name, embeds }, index) =>
    [...gatewayRequests, ...compatibleRequests]
      .filter((request) => embeds || !request.embeds)
      .map((request) => ({ request, name, upstream: upstreams[index] as Upstream })),
  );
  const abandon = async (number: number): Promise<boolean> => {
    const { request, name, upstream } = cases[number % cases.length] as (typeof cases)[number];
    const model = `${name}/${request.embeds ? 'vectors' : 'text'}`;
    // How soon is what the tests above are about, with one client at a time.
    return await isClosedInTime(await leave(upstream, request, model, hangsWithin), LOST_WITHIN_MS);
  };
  let inTime = 0;
  let next = 0;
  const leaving = async (): Promise<void> => {
    for (let number = next++; number < ABANDONED; number = next++) if (await abandon(number)) inTime += 1;
  };
  await Promise.all(Array.from({ length: 10 }, leaving));
  expect(inTime).toBe(ABANDONED);
  await Promise.all(upstreams.map((upstream) => upstream.whenSocketsClosed()));
  expect(upstreams.map((upstream) => upstream.openSockets())).toEqual([0, 0, 0]);
  expect(asked() - before).toBe(ABANDONED);
}, 300_000);
