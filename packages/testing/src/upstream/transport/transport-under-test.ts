import { createTransport } from '@patchbay/core';
import type { TransportOptions } from '@patchbay/core/plugin';
import { startUpstream, type UpstreamOptions } from '../start-upstream.ts';
import type { Upstream } from '../upstream.ts';

export interface TransportUnderTest {
  readonly transport: ReturnType<typeof createTransport>;
  readonly upstream: Upstream;
  /** Posts a chat to the upstream. Every deadline is far away, unless one is given. */
  readonly post: (init?: RequestInit, limits?: Partial<TransportOptions>) => Promise<Response>;
}

/** A transport and an upstream per call, stopped after the test. */
export function transportTests(
  afterEach: (stop: () => Promise<void>) => void,
): (options?: Partial<UpstreamOptions>) => Promise<TransportUnderTest> {
  const started: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of started.splice(0)) await stop();
  });

  return async (options = {}) => {
    const transport = createTransport();
    const upstream = await startUpstream({ dialect: 'openai', ...options });
    started.push(
      () => transport.stop(),
      () => upstream.stop(),
    );
    const fetches = new Map<string, typeof fetch>();
    const fetchWith = (limits: Partial<TransportOptions>): typeof fetch => {
      const key = JSON.stringify(limits);
      const known = fetches.get(key) ?? transport.createFetch({ baseUrl: upstream.baseUrl, ...limits });
      fetches.set(key, known);
      return known;
    };
    return {
      transport,
      upstream,
      post: (init = {}, limits = {}) =>
        fetchWith(limits)(`${upstream.baseUrl}/chat/completions`, {
          method: 'POST',
          headers: { authorization: 'Bearer secret-key', 'content-type': 'application/json' },
          body: chat({ stream: false }),
          ...init,
        }),
    };
  };
}

export function chat({ stream }: { readonly stream: boolean }): string {
  return JSON.stringify({ model: 'm', stream, messages: [{ role: 'user', content: 'secret prompt' }] });
}

/** What a promise was rejected with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('expected a rejection');
}
