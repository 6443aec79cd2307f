import anthropic from '@patchbay/provider-anthropic';
import openai from '@patchbay/provider-openai';
import { startUpstream, type Upstream, type UpstreamRequest } from '@patchbay/testing';
import { startGateway, type TestGateway } from '../gateway/start-gateway.ts';
import { vendorKey } from '../gateway/vendors.ts';
import { type Endpoint, endpoints, readResponse } from './endpoint.ts';
import { type Choice, choices, type FailoverFault } from './failover-fault.ts';
import { writer } from './sixty-words.ts';
import type { Observed } from './verdict.ts';

/** One way to ask, with two models of its own: one that has failed for another request would be treated otherwise. */
export interface Seat {
  readonly endpoint: Endpoint;
  readonly choice: Choice;
  readonly name: string;
  readonly primary: Upstream;
  readonly fallback: Upstream;
  /** When the primary received each request, in milliseconds. */
  readonly askedAt: readonly number[];
}

const pricing = { input: 0, output: 0 };

/** Milliseconds of silence after which the other model takes over, for faults that are silent. */
const silent = { fallbackAfterMs: 3_000 };

/** Starts two models for each way to ask, and one gateway for all of them. */
export async function startSeats(
  servers: AsyncDisposableStack,
  options: NonNullable<Parameters<typeof startGateway>[0]['gateway']> = {},
  clock?: Parameters<typeof startGateway>[1],
): Promise<{ readonly gateway: TestGateway; readonly seats: readonly Seat[] }> {
  const start = async (dialect: Endpoint['dialect']) =>
    servers.adopt(await startUpstream({ dialect }), (server) => server.stop());
  const ways = endpoints.flatMap((endpoint, index) => choices.map((choice) => ({ endpoint, choice, index })));
  const seats = await Promise.all(
    ways.map(async ({ endpoint, choice, index }): Promise<Seat> => {
      const [primary, fallback] = await Promise.all([start(endpoint.dialect), start(endpoint.dialect)]);
      const askedAt: number[] = [];
      noteRequests(primary, () => askedAt.push(performance.now()));
      return { endpoint, choice, name: `${choice}${index}`, primary, fallback, askedAt };
    }),
  );
  const providers = seats.flatMap(({ endpoint, name, primary, fallback }) => [
    [`${name}-primary`, mount(endpoint, primary, 'primary', 1)] as const,
    [`${name}-fallback`, mount(endpoint, fallback, 'fallback', 0.1)] as const,
  ]);
  const gateway = await startGateway({ providers: Object.fromEntries(providers), gateway: options }, clock);
  servers.defer(() => gateway.stop());
  return { gateway, seats };
}

function mount({ dialect }: Endpoint, { baseUrl }: Upstream, name: string, quality: number) {
  const models = [{ name, capabilities: ['chat'], pricing, quality }];
  const options = { apiKey: vendorKey, baseUrl, models };
  if (dialect === 'anthropic') return { use: anthropic, with: options };
  return { use: openai, with: { ...options, ...(dialect === 'openai-responses' && { responses: [name] }) } };
}

function noteRequests(upstream: Upstream, note: (request: UpstreamRequest) => void): void {
  void upstream.nextRequest().then((request) => {
    note(request);
    noteRequests(upstream, note);
  });
}

/** Asks once, and reads the response to its end. */
export async function ask(gateway: TestGateway, seat: Seat): Promise<Observed> {
  const { endpoint, choice, name, primary, fallback, askedAt } = seat;
  const [model, other] = [`${name}-primary/primary`, `${name}-fallback/fallback`];
  const routing =
    choice === 'named'
      ? { model, routing: { fallbacks: [other] } }
      : {
          model: 'auto',
          routing: { optimize: 'quality', maxPrice: 0, providers: { allow: [`${name}-primary`, `${name}-fallback`] } },
        };
  const before = { primary: primary.requests.length, fallback: fallback.requests.length };
  const began = performance.now();
  const { status, text } = await gateway.post(endpoint.path, { ...endpoint.body, ...routing, stream: true });
  const seconds = (performance.now() - began) / 1_000;
  const [first, second] = askedAt.slice(before.primary);
  return {
    path: endpoint.path,
    choice,
    reading: readResponse(endpoint, status, text),
    seconds,
    primary: primary.requests.length - before.primary,
    fallback: fallback.requests.length - before.fallback,
    pause: first === undefined || second === undefined ? undefined : (second - first) / 1_000,
  };
}

/** Plays a fault through all endpoints, once for a named model and once for an automatic choice. */
export async function playFailover(fault: FailoverFault): Promise<readonly Observed[]> {
  await using servers = new AsyncDisposableStack();
  const { gateway, seats } = await startSeats(servers, fault.isSilent ? silent : {});
  for (const { primary, fallback } of seats) {
    primary.script(...fault.primary);
    fallback.script(fault.fallback ?? writer());
  }
  return await Promise.all(seats.map((seat) => ask(gateway, seat)));
}
