/** Timeouts, in milliseconds, and size limits of an upstream. */
export interface TransportOptions {
  /** The only allowed origin of requests, such as `https://api.openai.com/v1`. From config, never from a request. */
  readonly baseUrl: string;
  /**
   * Ranges such as `10.1.0.0/16` that the host may resolve to besides public addresses, checked when a connection is
   * opened. Default: every address. A forward proxy decides this itself.
   */
  readonly addresses?: readonly string[];
  /** Until the connection is established, including TLS. Default 5,000. */
  readonly connectMs?: number;
  /**
   * From the request to the first byte of the body; a response that is not streamed usually begins when it is complete.
   * Default 600,000: the gateway limits the time to the first token of a stream itself.
   */
  readonly firstByteMs?: number;
  /** Between two chunks of the body. Default 300,000. */
  readonly idleMs?: number;
  /** For the whole request. Default 600,000. */
  readonly totalMs?: number;
  /** Bytes of a body, after decompression. Default 16 MiB. */
  readonly maxBodyBytes?: number;
}

/**
 * Sends requests to model providers. Every adapter creates its `fetch` here, and may pass it to the vendor's SDK.
 *
 * The `fetch` keeps connections alive, uses the forward proxy of the host if there is one, rejects redirects and other
 * origins, enforces all deadlines, and closes the socket when the signal aborts, at any point. Its errors are created by
 * `providerError` (`unreachable`, `timeout`, `redirect`, `bad_response`), or are the reason of the signal. A request
 * that failed on a reused connection because the upstream was just closing it is sent once more on a new one.
 *
 * @example
 * ```ts
 * import { definePlugin, services } from '@patchbay/core/plugin';
 *
 * export default definePlugin({
 *   name: 'patchbay-provider-acme',
 *   kind: 'provider',
 *   version: 1,
 *   config: { properties: { baseUrl: { type: 'string', default: 'https://api.acme.example/v1' } } },
 *   deps: { transport: services.transport },
 *   create({ config, deps }) {
 *     const fetch = deps.transport.createFetch({ baseUrl: config.baseUrl });
 *     return {
 *       models: async () => [{ name: 'acme-large', capabilities: ['chat'] }],
 *       async chat({ messages }, { signal }) {
 *         const response = await fetch(`${config.baseUrl}/chat`, {
 *           method: 'POST',
 *           body: JSON.stringify({ messages }),
 *           signal,
 *         });
 *         const { text } = (await response.json()) as { text: string };
 *         return {
 *           content: text,
 *           toolCalls: [],
 *           finishReason: 'stop',
 *           usage: { uncachedInputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0 },
 *         };
 *       },
 *     };
 *   },
 * });
 * ```
 */
export interface Transport {
  createFetch(options: TransportOptions): typeof fetch;
}
