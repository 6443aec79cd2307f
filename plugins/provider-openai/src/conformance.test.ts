import { type ProviderSetup, providerConformance } from '@patchbay/testing';
import { describe, it } from 'vitest';
import plugin from './index.ts';

function create({ apiKey, baseUrl, timeouts, transport, logger }: ProviderSetup) {
  // Without a key the provider is off at OpenAI alone.
  const where = apiKey ? { baseUrl, catalogue: true } : { baseUrl: 'https://api.openai.com/v1' };
  const config = { apiKey, timeouts, ...where };
  return plugin.definition.create({ config, deps: { transport }, logger, mount: 'providers.openai', directory: '.' });
}

describe('Chat Completions', () => {
  const models = { chatModel: 'gpt-6-luna', embeddingModel: 'text-embedding-3-small' };
  providerConformance({ describe, it }, { dialect: 'openai', create, forwards: 'openai-chat', ...models });
});

describe('Responses', () => {
  const models = { chatModel: 'gpt-6-astra', embeddingModel: 'text-embedding-3-small' };
  providerConformance(
    { describe, it },
    { dialect: 'openai-responses', create, forwards: 'openai-responses', ...models },
  );
});
