import { definePlugin, services } from '@patchbay/core/plugin';
import { API_KEY } from './api-key.ts';
import { createApiKeyAuthenticator } from './api-key-authenticator.ts';

/** Authenticates callers by API key, and makes the first one. */
export default definePlugin({
  name: '@patchbay/auth-api-key',
  kind: 'authenticator',
  version: 1,
  secretForms: [API_KEY],
  config: {
    properties: {
      bootstrapKey: {
        type: 'string',
        writeOnly: true,
        description:
          'Accepted as an admin key of `tenant`: any secret of at least 32 characters. ' +
          'Default: the environment variable PATCHBAY_BOOTSTRAP_KEY. Where neither is set and the store has no key, ' +
          'one admin key is made and announced at start.',
      },
      tenant: { type: 'string', default: 'default', description: 'Tenant of the bootstrap key and of the first key.' },
      environment: {
        type: 'string',
        default: 'live',
        pattern: '^[a-z]{1,16}$',
        $comment: 'must be 1 to 16 letters from a to z',
        description: 'Second part of generated keys: pbk_live_…',
      },
    },
  },
  deps: {
    announce: services.announce,
    clock: services.clock,
    rootSecret: services.rootSecret,
    storage: services.storage,
  },
  create({ config, deps, logger }) {
    // An unset variable that a config file passes through arrives as an empty string.
    const bootstrapKey = config.bootstrapKey || process.env['PATCHBAY_BOOTSTRAP_KEY'];
    return createApiKeyAuthenticator({ ...deps, logger, ...config, bootstrapKey });
  },
});
