import type { AppConfig } from '@patchbay/core';
import type { Clock } from '@patchbay/core/plugin';
import anthropic from '@patchbay/provider-anthropic';
import openai from '@patchbay/provider-openai';
import { startUpstream, type Upstream } from '@patchbay/testing';
import { isFullSize } from '../driver/is-full-size.ts';
import { startGateway, type TestGateway } from '../gateway/start-gateway.ts';
import { vendorKey } from '../gateway/vendors.ts';
import { type Endpoint, endpoints, readResponse } from './endpoint.ts';
import { type Choice, choices, type FailoverFault } from './failover-fault.ts';
import { writer } from './sixty-words.ts';
import type { Observed } from './verdict.ts';

/** One way to ask, with two models for it alone: one that has failed for another request would be treated otherwise. */
export interface Seat {
  readonly endpoint: Endpoint;
  readonly choice: Choice;
  readonly name: string;
  readonly primary: Upstream;
  readonly fallback: Upstream;
  /** When the primary received each request, in milliseconds. */
  readonly askedAt: readonly number[];
}

interface Way extends Pick<Seat, 'endpoint' | 'choice'> {
  /** The API of the fallback. */
  readonly other: Endpoint['dialect'];
}

/** The fallback speaks the API of the primary. At full size, every other one as well. */
const rounds: readonly (readonly Way[])[] = (isFullSize ? [0, 1, 2] : [0]).map((round) =>
  endpoints.flatMap((endpoint) => {
    const dialects = [...new Set([endpoint.dialect, ...endpoints.map(({ dialect }) => dialect)])];
    const other = dialects[round] ?? endpoint.dialect;
    return choices.map((choice) => ({ endpoint, choice, other }));
  }),
);

/** Starts two models for each way to ask, and one gateway for all of them, which has retries for ten at once. */
async function startSeats(
  servers: AsyncDisposableStack,
  ways: readonly Way[],
  options: NonNullable<AppConfig['gateway']> = {},
  clock?: Clock,
): Promise<{ readonly gateway: TestGateway; readonly seats: readonly Seat[] }> {
  const start = async (dialect: Endpoint['dialect']) =>
    servers.adopt(await startUpstream({ dialect }), (server) => server.stop());
  const seats = await Promise.all(
    ways.map(async ({ endpoint, choice, other }, index) => {
      const [primary, fallback] = await Promise.all([start(endpoint.dialect), start(other)]);
      const name = `seat${index}`;
      const providers = {
        [`${name}-primary`]: mount(endpoint.dialect, primary, { name: 'primary', quality: 1 }),
        [`${name}-fallback`]: mount(other, fallback, { name: 'fallback', quality: 0.1, prefill: true }),
      };
      return { endpoint, choice, name, primary, fallback, askedAt: timesOfRequests(primary), providers };
    }),
  );
  const providers = Object.assign({}, ...seats.map((seat) => seat.providers)) as NonNullable<AppConfig['providers']>;
  const gateway = await startGateway({ providers, gateway: options }, clock);
  servers.defer(() => gateway.stop());
  return { gateway, seats };
}

/** Tells these models from those of the catalogues, by `maxPrice`. */
const pricing = { input: 0, output: 0 };

interface OwnModel {
  readonly name: string;
  readonly quality: number;
  readonly prefill?: boolean;
}

function mount(dialect: Endpoint['dialect'], { baseUrl }: Upstream, model: OwnModel) {
  const own = { ...model, capabilities: ['chat'], pricing };
  const options = { apiKey: vendorKey, baseUrl };
  if (dialect === 'anthropic') return { use: anthropic, with: { ...options, models: [own] } };
  if (dialect === 'openai') return { use: openai, with: { ...options, models: [own] } };
  return { use: openai, with: { ...options, models: [{ ...own, vendor: 'openai' }], responses: [own.name] } };
}

function timesOfRequests(upstream: Upstream): readonly number[] {
  const times: number[] = [];
  const note = async (): Promise<void> => {
    await upstream.nextRequest();
    times.push(performance.now());
    await note();
  };
  void note();
  return times;
}

/** Asks once, and reads the response to its end. */
export async function ask(gateway: TestGateway, seat: Seat): Promise<Observed> {
  const { endpoint, choice, name, primary, fallback, askedAt } = seat;
  const [model, other] = [`${name}-primary/primary`, `${name}-fallback/fallback`];
  const allow = [`${name}-primary`, `${name}-fallback`];
  const target =
    choice === 'named'
      ? { model, routing: { fallbacks: [other] } }
      : { model: 'auto', routing: { optimize: 'quality', maxPrice: 0, providers: { allow } } };
  const before = { primary: primary.requests.length, fallback: fallback.requests.length };
  const began = performance.now();
  const { status, text } = await gateway.post(endpoint.path, { ...endpoint.body, ...target, stream: true });
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

/** Silence after which the other model takes over, where a fault is silent: shorter than by default, to save time. */
const silent = isFullSize ? {} : { fallbackAfterMs: 3_000 };
/** Longer than any request may take: a busy machine makes no silence. */
export const prompt = { fallbackAfterMs: 120_000 };

/**
 * Starts seats for all endpoints, each once for a named model and once for an automatic choice, and plays something on them.
 *
 * @returns the results of all rounds.
 */
export async function playOnSeats<T>(
  play: (gateway: TestGateway, seats: readonly Seat[]) => Promise<readonly T[]>,
  options?: NonNullable<AppConfig['gateway']>,
  clock?: Clock,
): Promise<readonly T[]> {
  const results: T[] = [];
  for (const ways of rounds) {
    await using servers = new AsyncDisposableStack();
    const { gateway, seats } = await startSeats(servers, ways, options, clock);
    results.push(...(await play(gateway, seats)));
  }
  return results;
}

/** Asks every primary once, as its silence counts from a request that waits for a connection and code that was never run. */
export async function warmUp(gateway: TestGateway, seats: readonly Seat[]): Promise<void> {
  for (const { primary } of seats) primary.script(writer());
  await Promise.all(seats.map((seat) => ask(gateway, seat)));
}

/** Plays a fault through all endpoints. */
export async function playFailover(fault: FailoverFault): Promise<readonly Observed[]> {
  return await playOnSeats(
    async (gateway, seats) => {
      if (fault.isSilent) await warmUp(gateway, seats);
      for (const { primary, fallback } of seats) {
        primary.script(...fault.primary);
        fallback.script(fault.fallback ?? writer());
      }
      return await Promise.all(seats.map((seat) => ask(gateway, seat)));
    },
    fault.isSilent ? silent : prompt,
  );
}
