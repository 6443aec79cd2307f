import { providerConformance } from '@patchbay/testing';
import { describe, it } from 'vitest';
import plugin from './index.ts';

providerConformance(
  { describe, it },
  {
    dialect: 'anthropic',
    create({ apiKey, baseUrl, timeouts, transport, logger }) {
      const config = { apiKey, baseUrl, timeouts };
      return plugin.definition.create({
        config,
        deps: { transport },
        logger,
        mount: 'providers.claude',
        directory: '.',
      });
    },
    chatModel: 'claude-opus-5-5',
    forwards: 'anthropic-messages',
  },
);
