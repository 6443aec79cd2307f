import { type Reply, startUpstream, type UpstreamRequest, upstreamReplies } from '@patchbay/testing';
import { createRandom } from '../driver/random.ts';

/** USD per million tokens, chosen so that a token costs a whole number of billionths. */
export const price = { input: 1, output: 10 };

const NANO_PER_TOKEN = 1_000;

/** Of each request: the most that a model writes. */
export const MAX_TOKENS = 120;

/** A vendor that knows what it is owed. */
export interface PricedUpstream {
  readonly baseUrl: string;
  /** Requests that were answered to their end, and what they cost in billionths of a dollar, by the first word of the last message. */
  readonly owed: ReadonlyMap<string, { readonly calls: number; readonly nanoUsd: number }>;
  stop(): Promise<void>;
}

/** Each of its responses is of a random length. */
export async function startPricedUpstream(seed: number): Promise<PricedUpstream> {
  const random = createRandom(seed);
  const upstream = await startUpstream({ dialect: 'openai' });
  const owed = new Map<string, { calls: number; nanoUsd: number }>();
  const reply: Reply = async (exchange) => {
    const usage = { uncachedInputTokens: 5 + random.below(20), outputTokens: 1 + random.below(MAX_TOKENS) };
    await upstreamReplies.healthy({ text: 'word '.repeat(1 + random.below(20)), usage })(exchange);
    if (exchange.socket.destroyed) return;
    const owner = ownerOf(exchange.request);
    const sum = owed.get(owner) ?? { calls: 0, nanoUsd: 0 };
    sum.calls += 1;
    sum.nanoUsd += (usage.uncachedInputTokens * price.input + usage.outputTokens * price.output) * NANO_PER_TOKEN;
    owed.set(owner, sum);
  };
  upstream.script(reply);
  return { baseUrl: upstream.baseUrl, owed, stop: () => upstream.stop() };
}

function ownerOf({ json }: UpstreamRequest): string {
  const { messages } = json as { readonly messages: readonly { readonly content: string }[] };
  return messages.at(-1)?.content.split(' ')[0] ?? '';
}
