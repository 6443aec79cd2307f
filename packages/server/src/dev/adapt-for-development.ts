import type { AppConfig } from '@patchbay/core';
import { developmentAuthenticator } from './development-authenticator.ts';

const apiKeys = '@patchbay/auth-api-key';

/**
 * A config that takes the key for developing: as the bootstrap key of the plugin for API keys, which then makes no first
 * key, or else by an authenticator of its own. The same plugin each time, so that a reload keeps it.
 */
export function adaptForDevelopment(key: string): (config: AppConfig) => AppConfig {
  const development = { use: developmentAuthenticator(key) };
  return (config) => {
    const mounts = Object.entries(config.authenticators ?? {});
    const taking = mounts.find(([, { use, with: options }]) => {
      return nameOf(use) === apiKeys && !Object(options)['bootstrapKey'];
    });
    if (taking === undefined) return { ...config, authenticators: { development, ...config.authenticators } };
    const [name, mount] = taking;
    const options = { ...(mount.with as object | undefined), bootstrapKey: key };
    return { ...config, authenticators: { ...config.authenticators, [name]: { ...mount, with: options } } };
  };
}

function nameOf(use: unknown): string | undefined {
  return typeof use === 'string' ? use : (use as { definition?: { name?: string } } | undefined)?.definition?.name;
}
