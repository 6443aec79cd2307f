import {
  assertSupported,
  type ChatRequest,
  createUpstreamClient,
  type EmbedResult,
  estimateTokens,
  fieldsOf,
  findModel,
  type ModelInfo,
  type Provider,
  readEmbedding,
  readTokenCount,
} from '@patchbay/core/provider';
import { chatRequest } from './chat-request.ts';
import { readChat, readChatStream } from './chat-response.ts';
import { readError } from './read-error.ts';

export interface GoogleProviderOptions {
  /** The provider's name, for messages. */
  readonly name: string;
  readonly models: ReadonlyMap<string, ModelInfo>;
  readonly apiKey: string;
  readonly baseUrl: string;
  /** `v1beta` or `v1`. */
  readonly apiVersion: string;
  /** Made by the transport. */
  readonly fetch: typeof fetch;
}

/** The Gemini API. */
export function createGoogleProvider(options: GoogleProviderOptions): Provider {
  const { name, models, apiKey, fetch } = options;
  const headers = { 'x-goog-api-key': apiKey };
  const upstream = createUpstreamClient({ name, fetch, headers, secrets: [apiKey], readError });
  const root = `${options.baseUrl.replace(/\/$/, '')}/${options.apiVersion}/models`;
  const urlOf = (model: ModelInfo, method: string) => `${root}/${encodeURIComponent(model.name)}:${method}`;

  const prepare = (request: ChatRequest) => {
    const model = findModel(name, models, request.model, 'chat');
    assertSupported(name, model, request);
    return { model, ...chatRequest(name, model, request) };
  };

  return {
    models: async () => [...models.values()],

    async chat(request, { signal }) {
      const { model, body, warnings } = prepare(request);
      const document = await upstream.ask(urlOf(model, 'generateContent'), body, signal);
      return readChat(document, request, warnings, upstream);
    },

    async *stream(request, { signal }) {
      const { model, body, warnings } = prepare(request);
      const events = upstream.stream(urlOf(model, 'streamGenerateContent?alt=sse'), body, signal);
      yield* readChatStream(events, request, warnings, upstream);
    },

    async embed({ model: modelName, text }, { signal }): Promise<EmbedResult> {
      const model = findModel(name, models, modelName, 'embeddings');
      const body = { content: { parts: [{ text }] } };
      const document = await upstream.ask(urlOf(model, 'embedContent'), body, signal);
      const values = fieldsOf(document['embedding'])?.['values'];
      const embedding = readEmbedding(values, model.dimensions, upstream.badAnswer);
      const usage = fieldsOf(document['usageMetadata']);
      const tokens = readTokenCount(usage?.['promptTokenCount'], upstream.badAnswer);
      if (tokens !== undefined) return { embedding, tokens };
      return { embedding, tokens: estimateTokens(text), warnings: [`${name} did not count tokens: estimated`] };
    },
  };
}
