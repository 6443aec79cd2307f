import { describe, it } from 'node:test';
import { type ProviderSetup, providerConformance } from '@patchbay/testing';
import plugin from './index.ts';

const create = ({ apiKey, baseUrl, timeouts, transport, logger }: ProviderSetup) =>
  plugin.definition.create({
    config: { apiKey, baseUrl, timeouts },
    deps: { transport },
    logger,
    mount: 'providers.template',
    directory: '.',
  });

providerConformance({ describe, it }, { dialect: 'openai', create, chatModel: 'large', wholeAnswersOnly: true });
