import {
  assertSupported,
  type ChatRequest,
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
} from '@patchbay/core/provider';
import type OpenAI from 'openai';
import { chatRequest } from './chat-request.ts';
import { readChat, readChatStream } from './chat-response.ts';
import { readError } from './read-error.ts';
import { readResponse, readResponseStream } from './responses/response-answer.ts';
import { responseRequest } from './responses/response-request.ts';

export interface OpenAiProviderOptions {
  /** The provider's name, for messages. */
  readonly name: string;
  readonly models: ReadonlyMap<string, ModelInfo>;
  /** Servers of one's own may want none. */
  readonly apiKey: string | undefined;
  readonly baseUrl: string;
  readonly organization: string | undefined;
  readonly project: string | undefined;
  /** Made by the transport. */
  readonly fetch: typeof fetch;
  /** Whether a model is asked through the Responses API and not through Chat Completions. */
  readonly usesResponses: (model: ModelInfo) => boolean;
}

/** Chat Completions, responses and embeddings of OpenAI and of every server that speaks like it. */
export function createOpenAiProvider(options: OpenAiProviderOptions): Provider {
  const { name, models, apiKey, fetch } = options;
  const upstream = createUpstreamClient({ name, fetch, headers: headersOf(options), secrets: [apiKey], readError });
  const root = options.baseUrl.replace(/\/$/, '');

  const find = (request: ChatRequest): ModelInfo => {
    const model = findModel(name, models, request.model, 'chat');
    assertSupported(name, model, request);
    return model;
  };

  return {
    models: async () => [...models.values()],

    async chat(request, { signal }) {
      const model = find(request);
      if (options.usesResponses(model)) {
        const { body, warnings } = responseRequest(name, model, request);
        return readResponse(await upstream.ask(`${root}/responses`, body, signal), request, warnings, upstream);
      }
      const { body, warnings } = chatRequest(name, model, request);
      return readChat(await upstream.ask(`${root}/chat/completions`, body, signal), request, warnings, upstream);
    },

    async *stream(request, { signal }) {
      const model = find(request);
      if (options.usesResponses(model)) {
        const { body, warnings } = responseRequest(name, model, request);
        const events = upstream.stream(`${root}/responses`, { ...body, stream: true }, signal);
        yield* readResponseStream(events, request, warnings, upstream);
        return;
      }
      const { body, warnings } = chatRequest(name, model, request);
      const streamed = { ...body, stream: true, stream_options: { include_usage: true } } as const;
      const events = upstream.stream(`${root}/chat/completions`, streamed, signal);
      yield* readChatStream(events, request, warnings, upstream);
    },

    async embed({ model: modelName, text }, { signal }): Promise<EmbedResult> {
      const model = findModel(name, models, modelName, 'embeddings');
      // Always said: where it is not, the SDK of many a proxy asks for base64, which many servers ignore.
      const body: OpenAI.EmbeddingCreateParams = { model: model.name, input: text, encoding_format: 'float' };
      const document = await upstream.ask(`${root}/embeddings`, body, signal);
      const first = fieldsOf(listOf(document['data'])?.[0]);
      const embedding = readEmbedding(first?.['embedding'], model.dimensions, upstream.badAnswer);
      const tokens = readTokenCount(fieldsOf(document['usage'])?.['prompt_tokens'], upstream.badAnswer);
      if (tokens !== undefined) return { embedding, tokens };
      return { embedding, tokens: estimateTokens(text), warnings: [`${name} did not count tokens: estimated`] };
    },
  };
}

function headersOf({ apiKey, organization, project }: OpenAiProviderOptions): Record<string, string> {
  return {
    ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
    ...(organization ? { 'openai-organization': organization } : {}),
    ...(project ? { 'openai-project': project } : {}),
  };
}
