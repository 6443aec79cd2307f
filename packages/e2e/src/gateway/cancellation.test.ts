import { randomUUID } from 'node:crypto';
import { createClient } from '@patchbay/client';
import { startUpstream, type Upstream, upstreamReplies } from '@patchbay/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isFullSize } from '../driver/is-full-size.ts';
import { adminKey } from '../driver/server-process.ts';
import {
  type Ask,
  abandonRequests,
  hangsWithin,
  isClosedInTime,
  LOST_WITHIN_MS,
  leaveRequest,
  mountOf,
  mountsOf,
  startUpstreams,
} from './abandoned-requests.ts';
import { fitting } from './replies.ts';
import { comesTo, compatibleRequests, type GatewayRequest, gatewayRequests } from './requests.ts';
import { startGateway, type TestGateway } from './start-gateway.ts';
import { type Vendor, vendors } from './vendors.ts';

// Clients that leave before they have their answer.

const WITHIN_MS = 250;
/** For a client that has to send a second request to cancel the first. */
const CANCELLED_WITHIN_MS = 1_000;
const ABANDONED = isFullSize ? 1_000 : 300;

let upstreams: readonly Upstream[] = [];
let gateway: TestGateway;
beforeAll(async () => {
  upstreams = await startUpstreams();
  gateway = await startGateway({ providers: mountsOf(upstreams) });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all(upstreams.map((upstream) => upstream.stop()));
});

/** How a client asks, and what it takes until its request has ended. */
interface Asking {
  readonly name: string;
  readonly withinMs: number;
  readonly ask: Ask;
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

/** Calls in progress at every model. */
async function callsInProgress(): Promise<readonly string[]> {
  const series = (await gateway.metrics()).split('\n').filter((line) => line.startsWith('patchbay_model_active{'));
  expect(series.length).toBeGreaterThan(0);
  return series.filter((line) => !line.endsWith(' 0'));
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
        .filter((request) => comesTo(request, { name, embeds }))
        .map((request) => ({ ...place, request, asking, path: request.name, by: asking.name })),
    ),
  );

  it.each(cases)('$path $place by $by closes the connection and takes no slot', async ({ request, reply, asking }) => {
    const upstream = upstreamOf();
    const model = `${name}/${request.embeds ? 'vectors' : 'text'}`;
    upstream.script(reply);
    const before = upstream.requests.length;
    const arrived = await leaveRequest(upstream, request, model, reply, asking.ask);
    expect(await isClosedInTime(arrived, asking.withinMs)).toBe(true);
    expect(upstream.requests.length - before, 'nothing is asked again').toBe(1);

    upstream.script(fitting());
    const { status, headers } = await gateway.post(request.path, { ...request.body, model });
    expect([status, headers.get('patchbay-route')]).toEqual([200, 'named']);
    await expect.poll(callsInProgress).toEqual([]);
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
  const report = await abandonRequests(ABANDONED, upstreams, viaFetch.ask);
  expect(report).toEqual({ asked: ABANDONED, closed: ABANDONED, openSockets: 0 });
}, 300_000);
