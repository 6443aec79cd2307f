import type { Plugin } from '../contracts/define-plugin.ts';
import { definePlugin } from '../contracts/define-plugin.ts';
import { PatchbayError } from '../contracts/errors.ts';

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
