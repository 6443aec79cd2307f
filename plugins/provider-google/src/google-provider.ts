import {
  assertSupported,
  createUpstreamClient,
  type EmbedResult,
  estimateTokens,
  fieldsOf,
  findModel,
  type ModelInfo,
  type Provider,
  readEmbedding,
  readTokenCount,
} from '@patchbay/core/plugin';
import { chatRequest } from './chat-request.ts';
import { readChat } from './chat-response.ts';
import { readChatStream } from './chat-stream.ts';
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
  const { name, models, apiKey } = options;
  const upstream = createUpstreamClient({ name, fetch: options.fetch, secrets: [apiKey], readError });
  const root = `${options.baseUrl.replace(/\/$/, '')}/${options.apiVersion}/models`;

  const open = (model: ModelInfo, method: string, body: object, signal: AbortSignal) =>
    upstream.open(
      () =>
        upstream.fetch(`${root}/${encodeURIComponent(model.name)}:${method}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-goog-api-key': apiKey },
          body: JSON.stringify(body),
          signal,
        }),
      signal,
    );

  return {
    models: async () => [...models.values()],

    async chat(request, { signal }) {
      const model = findModel(name, models, request.model, 'chat');
      assertSupported(name, model, request);
      const { body, warnings } = chatRequest(name, model, request);
      const response = await open(model, 'generateContent', body, signal);
      return readChat(await upstream.readJson(response, signal), request, warnings, upstream);
    },

    async *stream(request, { signal }) {
      const model = findModel(name, models, request.model, 'chat');
      assertSupported(name, model, request);
      const { body, warnings } = chatRequest(name, model, request);
      const response = await open(model, 'streamGenerateContent?alt=sse', body, signal);
      yield* readChatStream(upstream.readEvents(response, signal), request, warnings, upstream);
    },

    async embed({ model: modelName, text }, { signal }): Promise<EmbedResult> {
      const model = findModel(name, models, modelName, 'embeddings');
      const response = await open(model, 'embedContent', { content: { parts: [{ text }] } }, signal);
      const document = await upstream.readJson(response, signal);
      const values = fieldsOf(document['embedding'])?.['values'];
      const embedding = readEmbedding(values, model.dimensions, upstream.badAnswer);
      const usage = fieldsOf(document['usageMetadata']);
      const tokens = readTokenCount(usage?.['promptTokenCount'], upstream.badAnswer);
      if (tokens !== undefined) return { embedding, tokens };
      return { embedding, tokens: estimateTokens(text), warnings: [`${name} did not count tokens: estimated`] };
    },
  };
}
