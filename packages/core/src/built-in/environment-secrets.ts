import type { Plugin } from '@patchbay/contracts/define-plugin';
import { definePlugin } from '@patchbay/contracts/define-plugin';
import { PatchbayError } from '@patchbay/contracts/errors';

/** Takes secrets from environment variables of the same name. */
export function environmentSecrets(env: Readonly<Record<string, string | undefined>>): Plugin<'secrets'> {
  return definePlugin({
    name: '@patchbay/core/environment-secrets',
    kind: 'secrets',
    version: 1,
    config: { properties: {} },
    create: () => ({
      async resolve(name) {
        const value = Object.hasOwn(env, name) ? env[name] : undefined;
        if (value === undefined) {
          throw new PatchbayError('config_invalid', `the environment variable ${name} is not set`);
        }
        return value;
      },
    }),
  });
}
