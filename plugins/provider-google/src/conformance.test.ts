import { providerConformance } from '@patchbay/testing';
import { describe, it } from 'vitest';
import plugin from './index.ts';

providerConformance(
  { describe, it },
  {
    dialect: 'google',
    create({ apiKey, baseUrl, timeouts, transport, logger }) {
      const config = { apiKey, baseUrl, apiVersion: 'v1beta', timeouts };
      return plugin.definition.create({
        config,
        deps: { transport },
        logger,
        mount: 'providers.google',
        directory: '.',
      });
    },
    chatModel: 'gemini-3.8-flash',
    embeddingModel: 'gemini-embedding-2',
  },
);
