import {
  assertSupported,
  createUpstreamClient,
  type EmbedResult,
  estimateTokens,
  fieldsOf,
  findModel,
  listOf,
  type ModelInfo,
  type Provider,
  readEmbedding,
  readTokenCount,
} from '@patchbay/core/plugin';
import { chatRequest } from './chat-request.ts';
import { readChat } from './chat-response.ts';
import { readChatStream } from './chat-stream.ts';
import { type ClientOptions, lazyClient } from './client.ts';
import { readError } from './read-error.ts';

export interface OpenAiProviderOptions extends ClientOptions {
  /** The provider's name, for messages. */
  readonly name: string;
  readonly models: ReadonlyMap<string, ModelInfo>;
}

/** Chat Completions and embeddings of OpenAI and of every server that speaks like it. */
export function createOpenAiProvider(options: OpenAiProviderOptions): Provider {
  const { name, models, apiKey } = options;
  const upstream = createUpstreamClient({ name, fetch: options.fetch, secrets: [apiKey], readError });
  const client = lazyClient({ ...options, fetch: upstream.fetch });

  return {
    models: async () => [...models.values()],

    async chat(request, { signal }) {
      const model = findModel(name, models, request.model, 'chat');
      assertSupported(name, model, request);
      const { body, warnings } = chatRequest(name, model, request);
      const send = async () =>
        (await client()).chat.completions.create(body, upstream.callOptions(signal)).asResponse();
      const response = await upstream.open(send, signal);
      return readChat(await upstream.readJson(response, signal), request, warnings, upstream);
    },

    async *stream(request, { signal }) {
      const model = findModel(name, models, request.model, 'chat');
      assertSupported(name, model, request);
      const { body, warnings } = chatRequest(name, model, request);
      const streamed = { ...body, stream: true, stream_options: { include_usage: true } } as const;
      const send = async () =>
        (await client()).chat.completions.create(streamed, upstream.callOptions(signal)).asResponse();
      const response = await upstream.open(send, signal);
      yield* readChatStream(upstream.readEvents(response, signal), request, warnings, upstream);
    },

    async embed({ model: modelName, text }, { signal }): Promise<EmbedResult> {
      const model = findModel(name, models, modelName, 'embeddings');
      // Always said, because the SDK's own default is base64, which many servers ignore.
      const body = { model: model.name, input: text, encoding_format: 'float' } as const;
      const send = async () => (await client()).embeddings.create(body, upstream.callOptions(signal)).asResponse();
      const document = await upstream.readJson(await upstream.open(send, signal), signal);
      const first = fieldsOf(listOf(document['data'])?.[0]);
      const embedding = readEmbedding(first?.['embedding'], model.dimensions, upstream.badAnswer);
      const tokens = readTokenCount(fieldsOf(document['usage'])?.['prompt_tokens'], upstream.badAnswer);
      if (tokens !== undefined) return { embedding, tokens };
      return { embedding, tokens: estimateTokens(text), warnings: [`${name} did not count tokens: estimated`] };
    },
  };
}
