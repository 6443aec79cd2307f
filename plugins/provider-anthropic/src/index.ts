import { definePlugin, services } from '@patchbay/core/plugin';
import {
  assertSupported,
  type ChatRequest,
  createUpstreamClient,
  findModel,
  mergeModels,
  modelOptions,
  offProvider,
  providerName,
  refuseMembers,
  timeoutOptions,
  transportOptions,
} from '@patchbay/core/provider';
import { catalogue, messagesModel } from './catalogue.ts';
import { chatRequest } from './chat-request.ts';
import { chatReader, readChat } from './chat-response.ts';
import { readError } from './read-error.ts';
import { refusedOfAll } from './vendor-members.ts';

/**
 * Newer versions of the API refuse temperature and topP for every model, even for those that support them. This one is
 * what all compatible servers support.
 */
const API_VERSION = '2023-06-01';

/** Anthropic's models. */
export default definePlugin({
  name: '@patchbay/provider-anthropic',
  kind: 'provider',
  version: 1,
  config: {
    properties: {
      apiKey: { type: 'string', writeOnly: true, description: 'Without a key, the provider is off.' },
      baseUrl: {
        type: 'string',
        description: 'Base URL of the API: that of the vendor, or of a compatible server.',
        default: 'https://api.anthropic.com',
        pattern: '^https?://[^\\s/?#]+([/?#]\\S*)?$',
        $comment: 'must be an http or https URL',
      },
      models: modelOptions,
      timeouts: timeoutOptions,
    },
  },
  deps: { transport: services.transport },
  create({ config, deps, mount }) {
    const name = providerName(mount);
    const apiKey = config.apiKey?.trim();
    if (!apiKey) return offProvider(name, 'no apiKey is set; the built-in config takes it from ANTHROPIC_API_KEY');
    const known = new Set(catalogue.map((model) => model.name));
    const own = (config.models ?? []).map((model) => (known.has(model.name) ? model : { ...messagesModel, ...model }));
    // Compatible servers need not count tokens, and say so themselves.
    const dialects = ['anthropic-messages', 'anthropic-count-tokens'] as const;
    const models = new Map([...mergeModels(catalogue, own)].map(([id, model]) => [id, { ...model, dialects }]));
    const upstream = createUpstreamClient({
      name,
      fetch: deps.transport.createFetch(transportOptions(config.baseUrl, config.timeouts)),
      headers: { 'anthropic-version': API_VERSION, 'x-api-key': apiKey },
      secrets: [apiKey],
      readError,
    });
    const url = `${config.baseUrl.replace(/\/$/, '')}/v1/messages`;
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

      stream(request, { signal }) {
        const { body, warnings } = prepare(request);
        return upstream.stream(url, { ...body, stream: true }, signal, chatReader(request, warnings, upstream));
      },

      async forward(request, { signal }) {
        refuseMembers(name, request.body, refusedOfAll);
        const path = request.dialect === 'anthropic-count-tokens' ? `${url}/count_tokens` : url;
        return await upstream.forward(path, request, signal);
      },
    };
  },
});
