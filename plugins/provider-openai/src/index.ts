import { definePlugin, services } from '@patchbay/core/plugin';
import {
  mergeModels,
  modelOptions,
  offProvider,
  providerName,
  timeoutOptions,
  transportOptions,
} from '@patchbay/core/provider';
import { catalogue, needsResponses } from './catalogue.ts';
import { createOpenAiProvider } from './openai-provider.ts';

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
        description: "Without it the provider is off, unless `baseUrl` is another server than OpenAI's.",
      },
      baseUrl: {
        type: 'string',
        description: 'Where requests go: the address of the vendor, or of a server that speaks like it.',
        default: 'https://api.openai.com/v1',
        pattern: '^https?://',
      },
      catalogue: {
        type: 'boolean',
        description: "Whether the server has OpenAI's public models. Default: where `baseUrl` is OpenAI's own.",
      },
      models: modelOptions,
      organization: { type: 'string', description: 'Sent as OpenAI-Organization.' },
      project: { type: 'string', description: 'Sent as OpenAI-Project.' },
      responses: {
        type: 'array',
        items: { type: 'string' },
        description:
          'Names of models to ask through the Responses API. Default: of the catalogue, those that take tools only there.',
      },
      timeouts: timeoutOptions,
    },
  },
  deps: { transport: services.transport },
  create({ config, deps, mount }) {
    const name = providerName(mount);
    // The transport says what is wrong with a URL that is none.
    const hostname = URL.parse(config.baseUrl)?.hostname ?? '';
    const apiKey = config.apiKey?.trim();
    const isOpenAi = hostname === 'api.openai.com' || hostname.endsWith('.api.openai.com');
    if (isOpenAi && !apiKey)
      return offProvider(name, 'no apiKey is set; the built-in config takes it from OPENAI_API_KEY');
    // Models at OpenAI itself, such as a fine-tuned one, are on OpenAI's price list.
    const own = (config.models ?? []).map((model) => (isOpenAi ? { vendor: 'openai', ...model } : model));
    const responses = config.responses && new Set(config.responses);
    return createOpenAiProvider({
      name,
      models: mergeModels((config.catalogue ?? isOpenAi) ? catalogue : [], own),
      apiKey,
      baseUrl: config.baseUrl,
      organization: config.organization,
      project: config.project,
      usesResponses: ({ name: model, vendor }) =>
        responses ? responses.has(model) : vendor === 'openai' && needsResponses.has(model),
      fetch: deps.transport.createFetch(transportOptions(config.baseUrl, config.timeouts)),
    });
  },
});
