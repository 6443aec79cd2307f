import { definePlugin, services } from '@patchbay/core/plugin';
import {
  mergeModels,
  modelOptions,
  offProvider,
  providerName,
  timeoutOptions,
  transportOptions,
} from '@patchbay/core/provider';
import { createAnthropicProvider } from './anthropic-provider.ts';
import { catalogue, messagesModel } from './catalogue.ts';

/** Anthropic's models. */
export default definePlugin({
  name: '@patchbay/provider-anthropic',
  kind: 'provider',
  version: 1,
  config: {
    properties: {
      apiKey: { type: 'string', writeOnly: true, description: 'Without it the provider is off.' },
      baseUrl: {
        type: 'string',
        description: 'Where requests go: the address of the vendor, or of a server that speaks like it.',
        default: 'https://api.anthropic.com',
        pattern: '^https?://',
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
    return createAnthropicProvider({
      name,
      models: mergeModels(catalogue, own),
      apiKey,
      baseUrl: config.baseUrl,
      fetch: deps.transport.createFetch(transportOptions(config.baseUrl, config.timeouts)),
    });
  },
});
