import assert from 'node:assert/strict';
import type { ChatRequest } from '@patchbay/core/provider';
import type { Runner } from '../runner.ts';
import { testContext } from '../test-context.ts';
import { upstreamReplies } from '../upstream/upstream-replies.ts';
import type { UpstreamRequest } from '../upstream/upstream-request.ts';
import { collect } from './assertions.ts';
import { weather } from './chat-suite.ts';
import { apiKey, type ProviderConformanceOptions, providerSuite } from './provider-under-test.ts';

export interface SdkConformanceOptions
  extends Pick<ProviderConformanceOptions, 'dialect' | 'create' | 'chatModel' | 'embeddingModel'> {
  /** The calls of the SDK, without retries. Each gets the body that the provider sent. */
  sdk(target: { readonly baseUrl: string; readonly apiKey: string }): {
    readonly chat: (body: never) => PromiseLike<unknown>;
    readonly stream: (body: never) => PromiseLike<AsyncIterable<unknown>>;
    readonly embed?: (body: never) => PromiseLike<unknown>;
  };
  /** Headers that every request must have, such as those of an account. */
  readonly headers: Readonly<Record<string, string>>;
  /** Path after the base URL. Default: none, then a slash. */
  readonly baseUrlEnds?: readonly string[];
  /** Further headers that may differ. */
  readonly ownHeaders?: readonly string[];
  /** Members of the body that may differ. */
  readonly ownMembers?: readonly string[];
}

/** Headers that describe the machine to the maker of the SDK, or belong to the connection. */
const incomparable =
  /^(x-stainless-.*|user-agent|connection|accept-encoding|accept-language|sec-fetch-mode|content-length)$/u;

/**
 * Compares the requests of a provider with those that its vendor's SDK makes from the same bodies. For providers that send
 * requests themselves, because loading the SDK would cost more than the rest of a request.
 *
 * @example
 * ```ts
 * import { describe, it } from 'node:test';
 * import type { Provider } from '@patchbay/core/provider';
 * import { type ProviderSetup, sdkConformance } from '@patchbay/testing';
 *
 * declare function createMyProvider(setup: ProviderSetup): Provider;
 * declare class Sdk {
 *   constructor(options: { baseUrl: string; apiKey: string });
 *   create(body: object): Promise<object>;
 *   stream(body: object): Promise<AsyncIterable<object>>;
 * }
 *
 * sdkConformance({ describe, it }, {
 *   dialect: 'openai',
 *   create: (setup) => createMyProvider(setup),
 *   chatModel: 'my-large',
 *   headers: { 'x-account': 'account-1' },
 *   sdk(target) {
 *     const client = new Sdk(target);
 *     return { chat: (body) => client.create(body), stream: (body) => client.stream(body) };
 *   },
 * });
 * ```
 */
export function sdkConformance(runner: Runner, options: SdkConformanceOptions): void {
  const { chatModel: model, embeddingModel, baseUrlEnds = ['', '/'], headers } = options;
  runner.describe('the SDK of the vendor', () => {
    for (const end of baseUrlEnds) {
      const suite = providerSuite(runner, {
        ...options,
        create: (setup) => options.create({ ...setup, baseUrl: `${setup.baseUrl}${end}` }),
      });
      suite.it(`sends the same requests, with a base URL that ends in "${end}"`, async ({ provider, upstream }) => {
        const sdk = options.sdk({ baseUrl: `${upstream.baseUrl}${end}`, apiKey });
        const compare = async (ours: Promise<unknown>, theirs: (body: never) => PromiseLike<unknown>) => {
          const before = upstream.requests.length;
          await ours;
          const sent = upstream.requests[before];
          await theirs(sent?.json as never);
          assert.equal(upstream.requests.length, before + 2, 'one request each');
          assert.deepEqual(comparable(sent, options), comparable(upstream.requests[before + 1], options));
          for (const [name, value] of Object.entries(headers)) assert.equal(sent?.headers[name], value, name);
        };
        const models = await provider.models();
        const takesTemperature = !models.find(({ name }) => name === model)?.unsupported?.includes('temperature');
        const request: ChatRequest = { model, ...everything, ...(takesTemperature ? { temperature: 0.5 } : {}) };
        await compare(provider.chat(request, testContext()), (body) => sdk.chat(body));
        await compare(collect(provider.stream?.(request, testContext())), async (body) => {
          for await (const _ of await sdk.stream(body));
        });
        if (embeddingModel === undefined) return;
        const { dimensions = 0 } = models.find(({ name }) => name === embeddingModel) ?? {};
        upstream.script(upstreamReplies.healthy({ embedding: Array<number>(dimensions).fill(0.5) }));
        for (const texts of [['Grüße'], ['Grüße', '東京']]) {
          const embedding = provider.embed?.({ model: embeddingModel, texts }, testContext());
          assert.ok(embedding && sdk.embed, 'both embed');
          await compare(embedding, (body) => sdk.embed?.(body) ?? Promise.resolve());
        }
      });
    }
  });
}

const everything: Omit<ChatRequest, 'model'> = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Wie heißt „Bern“ 🐻?' },
        { type: 'image', data: 'AAAA', mediaType: 'image/png' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'tool-call', id: 'call_1', name: 'weather', arguments: { city: 'Bern' } },
      ],
    },
    { role: 'tool', toolCallId: 'call_1', content: '7' },
  ],
  maxTokens: 50,
  tools: [weather],
  toolChoice: { name: 'weather' },
};

function comparable(request: UpstreamRequest | undefined, options: SdkConformanceOptions) {
  assert.ok(request, 'a request arrived');
  const { ownHeaders = [], ownMembers = [] } = options;
  const { method, path, json, body } = request;
  const shown = Object.entries(request.headers).filter(
    ([name]) => !incomparable.test(name) && !ownHeaders.includes(name),
  );
  const isObject = typeof json === 'object' && json !== null;
  const members = isObject ? Object.entries(json).filter(([name]) => !ownMembers.includes(name)) : [];
  // If no members may differ, not a single byte may.
  return {
    method,
    path,
    headers: Object.fromEntries(shown),
    body: ownMembers.length === 0 ? body : Object.fromEntries(members),
  };
}
