import { sdkConformance } from '@patchbay/testing';
import OpenAI from 'openai';
import { describe, it } from 'vitest';
import plugin from './index.ts';

const account = { organization: 'org-1', project: 'project-1' };

// By model: one that is asked through each API.
describe.each([
  ['openai', 'gpt-4o'],
  ['openai-responses', 'gpt-6-astra'],
] as const)('in the dialect %s', (dialect, chatModel) => {
  sdkConformance(
    { describe, it },
    {
      dialect,
      create({ apiKey, baseUrl, timeouts, transport, logger }) {
        const config = { ...account, apiKey, baseUrl, timeouts, catalogue: true };
        const mount = 'providers.openai';
        return plugin.definition.create({ config, deps: { transport }, logger, mount, directory: '.' });
      },
      chatModel,
      embeddingModel: 'text-embedding-3-small',
      headers: { 'openai-organization': 'org-1', 'openai-project': 'project-1' },
      sdk({ baseUrl, apiKey }) {
        const client = new OpenAI({ ...account, apiKey, baseURL: baseUrl, maxRetries: 0, logLevel: 'off' });
        const embed = (body: OpenAI.EmbeddingCreateParams) => client.embeddings.create(body);
        if (dialect === 'openai-responses') {
          const chat = (body: OpenAI.Responses.ResponseCreateParamsNonStreaming) => client.responses.create(body);
          const stream = (body: OpenAI.Responses.ResponseCreateParamsStreaming) => client.responses.create(body);
          return { chat, stream, embed };
        }
        const chat = (body: OpenAI.ChatCompletionCreateParamsNonStreaming) => client.chat.completions.create(body);
        const stream = (body: OpenAI.ChatCompletionCreateParamsStreaming) => client.chat.completions.create(body);
        return { chat, stream, embed };
      },
    },
  );
});
