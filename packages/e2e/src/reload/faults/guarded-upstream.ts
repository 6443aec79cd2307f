import { setTimeout as delay } from 'node:timers/promises';
import { type Exchange, type Reply, startUpstream, type Upstream, upstreamReplies } from '@patchbay/testing';

/** The completion of the upstream, in many chunks. */
export const upstreamText = Array.from({ length: 12 }, (_, index) => `piece ${index} of the answer`).join(', ');

/** A provider's server that knows keys, and takes as long over the pieces of a stream as a prompt says. */
export interface GuardedUpstream extends Upstream {
  /** Accept this key from now on. */
  accept(key: string): void;
  /** Refuse this key, once the grace has passed. */
  retire(key: string, graceMs: number): void;
  /** The key of the request with this mark in its body. */
  keyOf(mark: string): string | undefined;
  /** Requests that came with a key which was refused. */
  readonly refused: readonly string[];
}

/** A prompt that delays each chunk by so many milliseconds. */
export const slowly = (ms: number): string => `[slowly ${ms}]`;

const MOST_MARKS = 10_000;

export async function startGuardedUpstream(): Promise<GuardedUpstream> {
  const upstream = await startUpstream({ dialect: 'openai' });
  const accepted = new Set<string>();
  const refused: string[] = [];
  const keys = new Map<string, string>();

  const reply: Reply = async (exchange) => {
    const { headers, body } = exchange.request;
    const key = (headers['authorization'] ?? '').replace('Bearer ', '');
    const [mark] = /\[mark \w+\]/.exec(body) ?? [];
    if (mark !== undefined && keys.size < MOST_MARKS) keys.set(mark, key);
    if (!accepted.has(key)) {
      refused.push(body.slice(0, 200));
      return await upstreamReplies.status(401)(exchange);
    }
    const [, ms = '0'] = /\[slowly (\d+)\]/.exec(body) ?? [];
    return await upstreamReplies.healthy({ text: upstreamText })(ms === '0' ? exchange : slowed(exchange, Number(ms)));
  };
  upstream.script(reply);
  return Object.assign(upstream, {
    refused,
    accept: (key: string) => void accepted.add(key),
    retire(key: string, graceMs: number) {
      setTimeout(() => accepted.delete(key), graceMs);
    },
    keyOf: (mark: string) => keys.get(mark),
  });
}

function slowed(exchange: Exchange, ms: number): Exchange {
  return {
    ...exchange,
    async write(data) {
      await delay(ms);
      await exchange.write(data);
    },
  };
}
