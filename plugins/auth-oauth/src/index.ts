import { definePlugin, services } from '@patchbay/core/plugin';
import { issuerOptions } from './issuer-options.ts';
import { createOauthAuthenticator } from './oauth-authenticator.ts';

/** Authenticates callers by the access tokens of OAuth servers: JWTs (RFC 9068), and others by introspection (RFC 7662). */
export default definePlugin({
  name: '@patchbay/auth-oauth',
  kind: 'authenticator',
  version: 1,
  config: {
    properties: {
      issuers: {
        type: 'object',
        additionalProperties: issuerOptions,
        description: 'Accepted token issuers. The name becomes the first part of caller ids.',
      },
    },
    required: ['issuers'],
  },
  deps: { clock: services.clock, transport: services.transport },
  create: ({ config, deps, logger }) => createOauthAuthenticator({ ...deps, logger, issuers: config.issuers }),
});
