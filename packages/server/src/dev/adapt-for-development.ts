import type { AppConfig } from '@patchbay/core';
import { developmentAuthenticator } from './development-authenticator.ts';

const apiKeys = '@patchbay/auth-api-key';
/** No name that anybody would choose. */
const ownMount = 'patchbay-dev';

/**
 * A config that lets `patchbay dev` in, and takes the key for developing: as the bootstrap key of the plugin for API
 * keys, which then makes no first key, or else by an authenticator of its own. The same plugin each time, so that a reload
 * keeps it.
 */
export function adaptForDevelopment(tokens: {
  /** Of this process, and of nobody else. */
  readonly own: string;
  readonly key: string;
}): (config: AppConfig) => AppConfig {
  const use = developmentAuthenticator(tokens.own, tokens.key);
  return (config) => {
    const mounts = Object.entries(config.authenticators ?? {});
    const taking = mounts.find(([, mount]) => nameOf(mount.use) === apiKeys && !optionsOf(mount)['bootstrapKey']);
    const [name = '', mount] = taking ?? [];
    const options = mount ? { ...optionsOf(mount), bootstrapKey: tokens.key } : {};
    const { tenant } = options as { readonly tenant?: string };
    const own = { use, with: { takesKey: mount === undefined, ...(tenant && { tenant }) } };
    const taken = mount && { [name]: { ...mount, with: options } };
    return { ...config, authenticators: { [ownMount]: own, ...config.authenticators, ...taken } };
  };
}

function optionsOf(mount: { readonly with?: unknown }): Readonly<Record<string, unknown>> {
  return Object(mount.with) as Readonly<Record<string, unknown>>;
}

function nameOf(use: unknown): string | undefined {
  return typeof use === 'string' ? use : (use as { definition?: { name?: string } } | undefined)?.definition?.name;
}
