import { definePlugin, services } from '@patchbay/core/plugin';
import {
  mergeModels,
  modelOptions,
  offProvider,
  providerName,
  timeoutOptions,
  transportOptions,
} from '@patchbay/core/provider';
import { catalogue, geminiModel } from './catalogue.ts';
import { createGoogleProvider } from './google-provider.ts';

/** Google's Gemini models. */
export default definePlugin({
  name: '@patchbay/provider-google',
  kind: 'provider',
  version: 1,
  config: {
    properties: {
      apiKey: { type: 'string', writeOnly: true, description: 'Without it the provider is off.' },
      baseUrl: {
        type: 'string',
        description: 'Where requests go: the address of the vendor, or of a server that speaks like it.',
        default: 'https://generativelanguage.googleapis.com',
        pattern: '^https?://',
      },
      apiVersion: {
        type: 'string',
        description: 'The version in the paths of the API.',
        default: 'v1beta',
        pattern: '^v1[a-z0-9]*$',
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
    return createGoogleProvider({
      name,
      models: mergeModels(catalogue, own),
      apiKey,
      baseUrl: config.baseUrl,
      apiVersion: config.apiVersion,
      fetch: deps.transport.createFetch(transportOptions(config.baseUrl, config.timeouts)),
    });
  },
});
