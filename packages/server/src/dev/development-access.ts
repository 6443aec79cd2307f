import { createHash, timingSafeEqual } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import type { AppConfig } from '@patchbay/core';
import { definePlugin, operatorScopes, tenantId } from '@patchbay/core/plugin';
import { UsageError } from '../cli/cli-failure.ts';
import { commandName } from '../cli/command-name.ts';

/**
 * @param ownKey The key to use instead of a generated development key.
 * @throws UsageError if a server with a development key would not stay on the developer's machine.
 */
export function assertDevelopment(host: string, env: NodeJS.ProcessEnv, ownKey: string | undefined): void {
  if (env['NODE_ENV'] === 'production') {
    throw new UsageError(
      `"patchbay dev" is for developing, and NODE_ENV is production: use "${commandName(env)} serve"`,
    );
  }
  if (isLoopback(host) || ownKey !== undefined) return;
  const hint = 'listen on 127.0.0.1, or set PATCHBAY_BOOTSTRAP_KEY to a key of your own';
  throw new UsageError(`other machines may reach ${host}, and "patchbay dev" stores its key in a file: ${hint}`);
}

function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  const loopback = new BlockList();
  loopback.addSubnet('127.0.0.0', 8, 'ipv4');
  loopback.addAddress('::1', 'ipv6');
  const family = isIP(host);
  return family !== 0 && loopback.check(host, family === 6 ? 'ipv6' : 'ipv4');
}

const apiKeys = '@patchbay/auth-api-key';
/** A name that is unlikely in a config. */
const ownMount = 'patchbay-dev';

/**
 * A config that admits `patchbay dev`, and accepts the development key: as the bootstrap key of the plugin for API
 * keys, which then creates no first key, or else by its own authenticator. The same plugin each time, so that a reload
 * keeps it.
 */
export function adaptForDevelopment(tokens: {
  /** Known to this process only. */
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

/** Who pushes functions, in logs and in the audit log. */
export const pusherId = 'key_patchbay_dev';

/** Admits `patchbay dev`, and also the development key if nothing else in the config accepts it. */
function developmentAuthenticator(ownToken: string, key: string) {
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
