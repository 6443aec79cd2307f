import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { type Reply, startUpstream, type Upstream, type UpstreamRequest, upstreamReplies } from '@patchbay/testing';
import { wantsStream } from './replies.ts';
import { comesTo, compatibleRequests, type GatewayRequest, gatewayRequests } from './requests.ts';
import { type Vendor, vendorKey, vendors } from './vendors.ts';

/** Sends a request of a client that may leave. */
export type Ask = (path: string, body: object, signal: AbortSignal) => Promise<Response>;

/** The longest that a request may go on after its client has left, on a machine that is busy with others. */
export const LOST_WITHIN_MS = 15_000;

/** One for each of the vendors. */
export async function startUpstreams(): Promise<readonly Upstream[]> {
  return await Promise.all(vendors.map(({ name }) => startUpstream({ dialect: name })));
}

/** The vendors, whose models are at these upstreams. */
export function mountsOf(upstreams: readonly Upstream[]) {
  const mounts = vendors.map((vendor, index) => [vendor.name, mountOf(vendor, upstreams[index]?.baseUrl)] as const);
  return Object.fromEntries(mounts);
}

export function mountOf({ plugin, name }: Vendor, baseUrl: string | undefined) {
  const shared = { vendor: name, quality: 1, pricing: { input: 0, output: 0 } };
  const models = [
    { ...shared, name: 'text', capabilities: ['chat', 'tools'] },
    { ...shared, name: 'vectors', capabilities: ['embeddings'], dimensions: 8 },
  ];
  return { use: plugin, with: { apiKey: vendorKey, baseUrl, models } };
}

/** Part of an answer, and nothing after it. */
export const hangsWithin: Reply = (exchange) =>
  (wantsStream(exchange.request) ? upstreamReplies.hangMidStream() : upstreamReplies.hangMidBody())(exchange);

/** Ask, and leave as soon as the upstream has the request, or, with a stream, the client has its first output. */
export async function leaveRequest(
  upstream: Upstream,
  request: GatewayRequest,
  model: string,
  reply: Reply,
  ask: Ask,
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
  await assert.rejects(async () => await (reader ? reader.read() : answering), /aborted/);
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
const output = /event: delta|event: content_block_delta|event: response.output_text.delta|"content":"[^"]/;

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
export async function isClosedInTime({ closed }: UpstreamRequest, withinMs: number): Promise<boolean> {
  if (!closed.aborted) await Promise.race([once(closed, 'abort'), wait(withinMs)]);
  // Count events that arrived while the process was blocked.
  await nextTurn();
  return closed.aborted;
}

/** Have clients leave requests to every endpoint and vendor, ten at a time, once an answer has begun. */
export async function abandonRequests(count: number, upstreams: readonly Upstream[], ask: Ask) {
  for (const upstream of upstreams) upstream.script(hangsWithin);
  const asked = () => upstreams.reduce((sum, { requests }) => sum + requests.length, 0);
  const before = asked();
  const cases = vendors.flatMap((vendor, index) =>
    [...gatewayRequests, ...compatibleRequests]
      .filter((request) => comesTo(request, vendor))
      .map((request) => ({ request, name: vendor.name, upstream: upstreams[index] as Upstream })),
  );
  let [closed, next] = [0, 0];
  const leaving = async (): Promise<void> => {
    for (let number = next++; number < count; number = next++) {
      const { request, name, upstream } = cases[number % cases.length] as (typeof cases)[number];
      const model = `${name}/${request.embeds ? 'vectors' : 'text'}`;
      const arrived = await leaveRequest(upstream, request, model, hangsWithin, ask);
      if (await isClosedInTime(arrived, LOST_WITHIN_MS)) closed += 1;
    }
  };
  await Promise.all(Array.from({ length: 10 }, leaving));
  const sockets = Promise.all(upstreams.map((upstream) => upstream.whenSocketsClosed()));
  await Promise.race([sockets, wait(LOST_WITHIN_MS, undefined, { ref: false })]);
  const openSockets = upstreams.reduce((sum, upstream) => sum + upstream.openSockets(), 0);
  return { asked: asked() - before, closed, openSockets };
}
