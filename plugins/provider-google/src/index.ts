import { definePlugin, services } from '@patchbay/core/plugin';
import {
  assertSupported,
  type ChatRequest,
  completeEmbedding,
  createUpstreamClient,
  definedMembers,
  fieldsOf,
  findModel,
  listOf,
  type ModelInfo,
  mergeModels,
  modelOptions,
  offProvider,
  providerError,
  providerName,
  timeoutOptions,
  transportOptions,
} from '@patchbay/core/provider';
import { catalogue, geminiModel } from './catalogue.ts';
import { chatRequest } from './chat-request.ts';
import { chatReader, readChat } from './chat-response.ts';
import { readError } from './read-error.ts';

/** Google's Gemini models. */
export default definePlugin({
  name: '@patchbay/provider-google',
  kind: 'provider',
  version: 1,
  config: {
    properties: {
      apiKey: { type: 'string', writeOnly: true, description: 'Without a key, the provider is off.' },
      baseUrl: {
        type: 'string',
        description: 'Base URL of the API: that of the vendor, or of a compatible server.',
        default: 'https://generativelanguage.googleapis.com',
        pattern: '^https?://[^\\s/?#]+([/?#]\\S*)?$',
        $comment: 'must be an http or https URL',
      },
      apiVersion: {
        type: 'string',
        description: 'API version in the path.',
        default: 'v1beta',
        pattern: '^v1[a-z0-9]*$',
        $comment: 'must be a version such as v1 or v1beta',
      },
      models: modelOptions,
      timeouts: timeoutOptions,
    },
  },
  deps: { transport: services.transport },
  create({ config, deps, mount }) {
    const name = providerName(mount);
    const apiKey = config.apiKey?.trim();
    if (!apiKey) return offProvider(name, 'no apiKey is set; the built-in config takes it from GOOGLE_API_KEY');
    const known = new Set(catalogue.map((model) => model.name));
    const own = (config.models ?? []).map((model) => (known.has(model.name) ? model : { ...geminiModel, ...model }));
    const models = mergeModels(catalogue, own);
    const upstream = createUpstreamClient({
      name,
      fetch: deps.transport.createFetch(transportOptions(config.baseUrl, config.timeouts)),
      headers: { 'x-goog-api-key': apiKey },
      secrets: [apiKey],
      readError,
    });
    const root = `${config.baseUrl.replace(/\/$/, '')}/${config.apiVersion}/models`;
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

      stream(request, { signal }) {
        const { model, body, warnings } = prepare(request);
        const url = urlOf(model, 'streamGenerateContent?alt=sse');
        return upstream.stream(url, body, signal, chatReader(request, warnings, upstream));
      },

      async embed(request, { signal }) {
        const { texts, dimensions: outputDimensionality } = request;
        const model = findModel(name, models, request.model, 'embeddings');
        if (outputDimensionality !== undefined && outputDimensionality > (model.dimensions ?? outputDimensionality)) {
          const message = `${name}/${model.name} has ${model.dimensions} dimensions at most`;
          throw providerError('unsupported', message, { parameter: 'dimensions' });
        }
        const bodyOf = (text: string) => ({
          content: { parts: [{ text }] },
          ...definedMembers({ outputDimensionality }),
        });
        const [text = '', more] = texts;
        const isOne = more === undefined;
        const requests = isOne ? [] : texts.map((each) => ({ model: `models/${model.name}`, ...bodyOf(each) }));
        const document = isOne
          ? await upstream.ask(urlOf(model, 'embedContent'), bodyOf(text), signal)
          : await upstream.ask(urlOf(model, 'batchEmbedContents'), { requests }, signal);
        const embeddings = isOne ? [document['embedding']] : (listOf(document['embeddings']) ?? []);
        const tokens = fieldsOf(document['usageMetadata'])?.['promptTokenCount'];
        const vectors = embeddings.map((embedding) => fieldsOf(embedding)?.['values']);
        return completeEmbedding({ vectors, tokens }, request, model, upstream);
      },
    };
  },
});
