import { type ProviderSetup, providerConformance } from '@patchbay/testing';
import { describe, it } from 'vitest';
import plugin from './acme.ts';
import { acmeDialect } from './acme-dialect.ts';

const create = ({ apiKey, baseUrl, timeouts, transport, logger }: ProviderSetup) =>
  plugin.definition.create({
    config: { apiKey, baseUrl, timeouts },
    deps: { transport },
    logger,
    mount: 'providers.acme',
    directory: '.',
  });

providerConformance({ describe, it }, { dialect: acmeDialect, create, chatModel: 'large', wholeAnswersOnly: true });
