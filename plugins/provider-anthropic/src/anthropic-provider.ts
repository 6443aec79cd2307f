import type { ChatRequest } from '@patchbay/core/provider';
import {
  assertSupported,
  createUpstreamClient,
  findModel,
  type ModelInfo,
  type Provider,
} from '@patchbay/core/provider';
import { chatRequest } from './chat-request.ts';
import { readChat } from './chat-response.ts';
import { readChatStream } from './chat-stream.ts';
import { readError } from './read-error.ts';

export interface AnthropicProviderOptions {
  /** The provider's name, for messages. */
  readonly name: string;
  readonly models: ReadonlyMap<string, ModelInfo>;
  readonly apiKey: string;
  readonly baseUrl: string;
  /** Made by the transport. */
  readonly fetch: typeof fetch;
}

/**
 * Newer versions of the API refuse temperature and topP for every model, also for those that take them. This one is
 * what everything that speaks like Anthropic knows.
 */
const API_VERSION = '2023-06-01';

/** The Messages API of Anthropic. */
export function createAnthropicProvider(options: AnthropicProviderOptions): Provider {
  const { name, models, apiKey, fetch } = options;
  const headers = { 'anthropic-version': API_VERSION, 'x-api-key': apiKey };
  const upstream = createUpstreamClient({ name, fetch, headers, secrets: [apiKey], readError });
  const url = `${options.baseUrl.replace(/\/$/, '')}/v1/messages`;

  const prepare = (request: ChatRequest) => {
    const model = findModel(name, models, request.model, 'chat');
    assertSupported(name, model, request);
    return chatRequest(name, model, request);
  };

  return {
    models: async () => [...models.values()],

    async chat(request, { signal }) {
      const { body, warnings } = prepare(request);
      return readChat(await upstream.ask(url, body, signal), request, warnings, upstream);
    },

    async *stream(request, { signal }) {
      const { body, warnings } = prepare(request);
      const events = upstream.stream(url, { ...body, stream: true }, signal);
      yield* readChatStream(events, request, warnings, upstream);
    },
  };
}
