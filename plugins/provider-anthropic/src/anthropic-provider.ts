import type Anthropic from '@anthropic-ai/sdk';
import { assertSupported, createUpstreamClient, findModel, type ModelInfo, type Provider } from '@patchbay/core/plugin';
import { chatRequest } from './chat-request.ts';
import { readChat } from './chat-response.ts';
import { readChatStream } from './chat-stream.ts';
import { type ClientOptions, lazyClient } from './client.ts';
import { readError } from './read-error.ts';

export interface AnthropicProviderOptions extends ClientOptions {
  /** The provider's name, for messages. */
  readonly name: string;
  readonly models: ReadonlyMap<string, ModelInfo>;
}

/** The Messages API of Anthropic. */
export function createAnthropicProvider(options: AnthropicProviderOptions): Provider {
  const { name, models, apiKey } = options;
  const upstream = createUpstreamClient({ name, fetch: options.fetch, secrets: [apiKey], readError });
  const client = lazyClient({ ...options, fetch: upstream.fetch });

  // Not `messages.create`, which writes to the console about models that come to their end.
  const open = (body: Anthropic.MessageCreateParams, signal: AbortSignal) =>
    upstream.open(
      async () => (await client()).post('/v1/messages', { body, ...upstream.callOptions(signal) }).asResponse(),
      signal,
    );

  return {
    models: async () => [...models.values()],

    async chat(request, { signal }) {
      const model = findModel(name, models, request.model, 'chat');
      assertSupported(name, model, request);
      const { body, warnings } = chatRequest(name, model, request);
      return readChat(await upstream.readJson(await open(body, signal), signal), request, warnings, upstream);
    },

    async *stream(request, { signal }) {
      const model = findModel(name, models, request.model, 'chat');
      assertSupported(name, model, request);
      const { body, warnings } = chatRequest(name, model, request);
      const response = await open({ ...body, stream: true }, signal);
      yield* readChatStream(upstream.readEvents(response, signal), request, warnings, upstream);
    },
  };
}
