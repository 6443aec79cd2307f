import { createHash, timingSafeEqual } from 'node:crypto';
import { definePlugin, tenantId } from '@patchbay/core/plugin';

/** Lets the development key in, whatever else the config lets in. */
export function developmentAuthenticator(key: string) {
  const expected = digest(key);
  return definePlugin({
    name: '@patchbay/server/development-key',
    kind: 'authenticator',
    version: 1,
    config: { properties: {} },
    create: () => ({
      async authenticate({ token }) {
        if (!timingSafeEqual(digest(token), expected)) return undefined;
        return { id: 'key_development', kind: 'api-key', tenant: tenantId('default'), scopes: ['*'] };
      },
    }),
  });
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
