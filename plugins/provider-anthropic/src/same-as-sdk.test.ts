import Anthropic from '@anthropic-ai/sdk';
import { sdkConformance } from '@patchbay/testing';
import { describe, it } from 'vitest';
import plugin from './index.ts';

sdkConformance(
  { describe, it },
  {
    dialect: 'anthropic',
    create({ apiKey, baseUrl, timeouts, transport, logger }) {
      const config = { apiKey, baseUrl, timeouts };
      const mount = 'providers.anthropic';
      return plugin.definition.create({ config, deps: { transport }, logger, mount, directory: '.' });
    },
    chatModel: 'claude-haiku-4-5',
    headers: { 'anthropic-version': '2023-06-01' },
    /** The SDK as it is, but for the version of the API: its own refuses what older models take. */
    sdk({ baseUrl: baseURL, apiKey }) {
      const defaultHeaders = { 'anthropic-version': '2023-06-01', 'x-api-key': apiKey, authorization: null };
      const client = new Anthropic({ apiKey, baseURL, maxRetries: 0, logLevel: 'off', defaultHeaders });
      return {
        chat: (body: Anthropic.MessageCreateParamsNonStreaming) => client.messages.create(body),
        stream: (body: Anthropic.MessageCreateParamsStreaming) => client.messages.create(body),
      };
    },
  },
);
