import { isUpstream } from '@patchbay/canaries';
import openai from '@patchbay/provider-openai';
import { readEvents, startUpstream, type Upstream } from '@patchbay/testing';
import type { Fault } from './faults.ts';
import { fitting } from './replies.ts';
import type { GatewayRequest } from './requests.ts';
import { type GatewayAnswer, startGateway, type TestGateway } from './start-gateway.ts';
import { type Vendor, vendorKey } from './vendors.ts';

/** One way to ask: of a named model, or of any. */
export interface Asking {
  readonly request: GatewayRequest;
  readonly choice: 'named' | 'auto';
}

/** One request while a fault is played, and what became of it. */
export interface PlayedRequest extends Asking {
  readonly answer: GatewayAnswer;
  /** Such as `502 provider_error`, `200 backup/text after provider_error`, `200, then backup/text` or `200, then error provider_timeout`. */
  readonly outcome: string;
  /** How often the failing model was asked. */
  readonly asked: number;
}

type Cell = Asking & { readonly provider: string };

/**
 * How far a fault lets things go that goes on until a deadline ends it. What comes before has long deadlines, as has
 * everything that ends by itself: a busy machine makes no failure.
 */
export type Lasting = 'from the start' | 'after the first output';
const patience = {
  'from the start': { connectMs: 2_000, firstByteMs: 2_000, idleMs: 500, totalMs: 3_000 },
  'after the first output': { connectMs: 60_000, idleMs: 500 },
} as const;
const patient = { connectMs: 60_000 };

/**
 * Ask a vendor that fails, in all of the given ways, where another vendor works. Afterwards the gateway is stopped, and
 * no connection is left.
 *
 * @param lasts Where the fault goes on until a deadline ends it.
 */
export async function playFault(
  vendor: Vendor,
  { reply, tls, address }: Fault,
  ways: readonly Asking[],
  lasts: Lasting | undefined,
): Promise<{ readonly played: readonly PlayedRequest[]; readonly log: string }> {
  await using servers = new AsyncDisposableStack();
  const start = async (options: Parameters<typeof startUpstream>[0]): Promise<Upstream> =>
    servers.adopt(await startUpstream(options), (server) => server.stop());
  const upstream = await start({ dialect: vendor.name, ...(tls ? { tls } : {}) });
  const backup = await start({ dialect: 'openai' });
  // One of them tells the key that it was sent.
  isUpstream(upstream.url);
  if (reply) upstream.script(reply);
  backup.script(fitting());
  const baseUrl = { none: upstream.baseUrl, 'closed port': 'http://127.0.0.1:9', 'unknown host': 'http://no.invalid' };

  // A provider for each request: one that has failed for another would be treated otherwise.
  const cells = ways.map((way): Cell => ({ ...way, provider: `${way.choice}-${way.request.name}` }));
  const providers = cells.map(({ request, provider }) => {
    const name = `${provider}-model`;
    const models = [{ ...modelFor(request), name, quality: 1 }];
    const options = { apiKey: vendorKey, baseUrl: baseUrl[address ?? 'none'], models, ...vendor.options?.(name) };
    return [
      provider,
      { use: vendor.plugin, with: { ...options, timeouts: lasts ? patience[lasts] : patient } },
    ] as const;
  });
  const gateway = await startGateway({
    providers: { ...Object.fromEntries(providers), backup: backupProvider(backup) },
  });
  try {
    const played = await Promise.all(cells.map((cell) => ask(gateway, upstream, cell)));
    if (lasts) await upstream.whenSocketsClosed();
    return { played, log: gateway.log() };
  } finally {
    await gateway.stop();
    await upstream.whenSocketsClosed();
    await backup.whenSocketsClosed();
  }
}

/** Tells our models from those of the catalogues, by `maxPrice`. */
const free = { input: 0, output: 0 };

function modelFor({ name }: GatewayRequest) {
  if (name === 'embeddings') return { capabilities: ['embeddings'], dimensions: 8, pricing: free };
  return { capabilities: ['chat', 'tools'], pricing: free };
}

function backupProvider({ baseUrl }: Upstream) {
  const models = [
    { name: 'text', capabilities: ['chat', 'tools'], pricing: free },
    { name: 'vectors', capabilities: ['embeddings'], pricing: free },
  ];
  return { use: openai, with: { apiKey: 'sk-backup', baseUrl, models } };
}

async function ask(gateway: TestGateway, upstream: Upstream, cell: Cell): Promise<PlayedRequest> {
  const { request, choice, provider } = cell;
  const model = `${provider}-model`;
  const target =
    choice === 'named'
      ? { model: `${provider}/${model}` }
      : { routing: { maxPrice: 0, providers: { allow: [provider, 'backup'] } } };
  const answer = await gateway.post(request.path, { ...request.body, ...target });
  const asked = upstream.requests.filter(({ path, body }) => `${path} ${body}`.includes(model)).length;
  return { request, choice, answer, outcome: outcomeOf(request, answer), asked };
}

function outcomeOf({ streams }: GatewayRequest, { status, headers, text }: GatewayAnswer): string {
  const [, failed] = /;failed="\S+ (\w+)/.exec(headers.get('patchbay-route') ?? '') ?? [];
  const wait = headers.has('retry-after') ? `, Retry-After ${headers.get('retry-after')}` : '';
  const told = (answer: { readonly code?: string; readonly model?: string } = {}): string =>
    `${answer.code ?? answer.model}${failed ? ` after ${failed}` : ''}${wait}`;
  if (!streams || status !== 200) return `${status} ${told(JSON.parse(text))}`;

  const events = readEvents(text);
  const last = events.at(-1);
  const resumed = events.find(({ event }) => event === 'resumed');
  const areDeltas = events.slice(1, -1).every((each) => each.event === 'delta' || each === resumed);
  if (events[0]?.event !== 'start' || !areDeltas) return `events in a wrong order: ${text}`;
  if (resumed && last?.event === 'done') return `200, then ${String(resumed.data['model'])}`;
  return last?.event === 'done' ? `200 ${told(last.data)}` : `200, then ${last?.event} ${told(last?.data)}`;
}
