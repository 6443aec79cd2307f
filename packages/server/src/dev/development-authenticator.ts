import { createHash, timingSafeEqual } from 'node:crypto';
import { definePlugin, operatorScopes, tenantId } from '@patchbay/core/plugin';

/** Who pushes functions, in logs and in the audit log. */
export const pusherId = 'key_patchbay_dev';

/** Lets `patchbay dev` in, and with it the key for developing where nothing else in the config takes it. */
export function developmentAuthenticator(ownToken: string, key: string) {
  const [own, given] = [digest(ownToken), digest(key)];
  return definePlugin({
    name: '@patchbay/server/development',
    kind: 'authenticator',
    version: 1,
    config: {
      properties: { tenant: { type: 'string', default: 'default' }, takesKey: { type: 'boolean', default: true } },
    },
    create: ({ config }) => ({
      async authenticate({ token }) {
        const found = digest(token);
        const scopes = ['*', ...operatorScopes] as const;
        const principal = { kind: 'api-key', tenant: tenantId(config.tenant), scopes, expiresAt: null } as const;
        if (timingSafeEqual(found, own)) return { ...principal, id: pusherId };
        return config.takesKey && timingSafeEqual(found, given) ? { ...principal, id: 'key_development' } : undefined;
      },
    }),
  });
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
