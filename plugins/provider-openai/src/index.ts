import { definePlugin, services } from '@patchbay/core/plugin';
import {
  assertSupported,
  type ChatRequest,
  completeEmbedding,
  createUpstreamClient,
  fieldsOf,
  findModel,
  listOf,
  type ModelInfo,
  mergeModels,
  modelOptions,
  offProvider,
  providerName,
  timeoutOptions,
  transportOptions,
} from '@patchbay/core/provider';
import type OpenAI from 'openai';
import { catalogue, needsResponses } from './catalogue.ts';
import { chatRequest } from './chat-request.ts';
import { readChat, readChatStream } from './chat-response.ts';
import { readError } from './read-error.ts';
import { readResponse, readResponseStream } from './responses/response-answer.ts';
import { responseRequest } from './responses/response-request.ts';

/** OpenAI, and every server that speaks like it. */
export default definePlugin({
  name: '@patchbay/provider-openai',
  kind: 'provider',
  version: 1,
  config: {
    properties: {
      apiKey: {
        type: 'string',
        writeOnly: true,
        description: "Without a key, the provider is off, unless `baseUrl` is not OpenAI's.",
      },
      baseUrl: {
        type: 'string',
        description: 'Base URL of the API: that of the vendor, or of a compatible server.',
        default: 'https://api.openai.com/v1',
        pattern: '^https?://',
      },
      catalogue: {
        type: 'boolean',
        description: "Whether the server has OpenAI's public models. Default: true if `baseUrl` is OpenAI's.",
      },
      models: modelOptions,
      organization: { type: 'string', description: 'Value of the OpenAI-Organization header.' },
      project: { type: 'string', description: 'Value of the OpenAI-Project header.' },
      responses: {
        type: 'array',
        items: { type: 'string' },
        description:
          'Models to call through the Responses API. Default: models of the catalogue that support tools only there.',
      },
      timeouts: timeoutOptions,
    },
  },
  deps: { transport: services.transport },
  create({ config, deps, mount }) {
    const name = providerName(mount);
    // The transport reports an invalid URL.
    const hostname = URL.parse(config.baseUrl)?.hostname ?? '';
    const apiKey = config.apiKey?.trim();
    const isOpenAi = hostname === 'api.openai.com' || hostname.endsWith('.api.openai.com');
    if (isOpenAi && !apiKey)
      return offProvider(name, 'no apiKey is set; the built-in config takes it from OPENAI_API_KEY');
    // Models at OpenAI itself, such as a fine-tuned one, are on OpenAI's price list.
    const own = (config.models ?? []).map((model) => (isOpenAi ? { vendor: 'openai', ...model } : model));
    const responses = config.responses && new Set(config.responses);
    const usesResponses = ({ name: model, vendor }: ModelInfo): boolean =>
      responses ? responses.has(model) : vendor === 'openai' && needsResponses.has(model);
    const models = mergeModels((config.catalogue ?? isOpenAi) ? catalogue : [], own);
    const upstream = createUpstreamClient({
      name,
      fetch: deps.transport.createFetch(transportOptions(config.baseUrl, config.timeouts)),
      headers: {
        ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
        ...(config.organization ? { 'openai-organization': config.organization } : {}),
        ...(config.project ? { 'openai-project': config.project } : {}),
      },
      secrets: [apiKey],
      readError,
    });
    const root = config.baseUrl.replace(/\/$/, '');

    const find = (request: ChatRequest): ModelInfo => {
      const model = findModel(name, models, request.model, 'chat');
      assertSupported(name, model, request);
      return model;
    };

    return {
      models: async () => [...models.values()],

      async chat(request, { signal }) {
        const model = find(request);
        if (usesResponses(model)) {
          const { body, warnings } = responseRequest(name, model, request);
          return readResponse(await upstream.ask(`${root}/responses`, body, signal), request, warnings, upstream);
        }
        const { body, warnings } = chatRequest(name, model, request);
        return readChat(await upstream.ask(`${root}/chat/completions`, body, signal), request, warnings, upstream);
      },

      async *stream(request, { signal }) {
        const model = find(request);
        if (usesResponses(model)) {
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

      async embed({ model: modelName, text }, { signal }) {
        const model = findModel(name, models, modelName, 'embeddings');
        // Always said: where it is not, the SDK of many a proxy asks for base64, which many servers ignore.
        const body: OpenAI.EmbeddingCreateParams = { model: model.name, input: text, encoding_format: 'float' };
        const document = await upstream.ask(`${root}/embeddings`, body, signal);
        const first = fieldsOf(listOf(document['data'])?.[0]);
        const tokens = fieldsOf(document['usage'])?.['prompt_tokens'];
        return completeEmbedding({ vector: first?.['embedding'], tokens }, text, model, upstream);
      },
    };
  },
});
