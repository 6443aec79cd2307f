import keys from '@patchbay/auth-api-key';
import { canary } from '@patchbay/canaries';
import { type AppConfig, createApp } from '@patchbay/core';
import { expect, it } from 'vitest';
import { adaptForDevelopment, assertDevelopment } from './development-access.ts';

it.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])('listens on %s', (host) => {
  expect(() => assertDevelopment(host, {}, undefined)).not.toThrow();
});

it.each(['0.0.0.0', '::', '192.168.0.1', 'example.com', '127.0.0.1.example.com'])('refuses %s', (host) => {
  expect(() => assertDevelopment(host, {}, undefined)).toThrow(`other machines may reach ${host}`);
  expect(() => assertDevelopment(host, {}, 'a key of their own')).not.toThrow();
});

it('refuses production, whatever the key', () => {
  expect(() => assertDevelopment('127.0.0.1', { NODE_ENV: 'production' }, 'a key')).toThrow(/: use ".+ serve"$/);
});

const own = canary('own-token');
const key = canary('development-key');
const adapt = adaptForDevelopment({ own, key });
const base = { patchbay: 1, secret: canary('root-secret') } as const satisfies AppConfig;

/** The tenant of each token; the app must not announce a first key. */
async function tenantsIn(config: AppConfig) {
  await using app = await createApp(adapt(config), {
    announce: () => {
      throw new Error('it makes a first key');
    },
  });
  const tenantOf = async (token: string) => (await app.services.authenticate({ token })).tenant;
  return [await tenantOf(own), await tenantOf(key)];
}

it('development access accepts its own process, and the key, without a configuration', async () => {
  expect(await tenantsIn(base)).toEqual(['default', 'default']);
});

it('the API key plugin accepts the development key, and creates none', async () => {
  expect(await tenantsIn({ ...base, authenticators: { keys: { use: keys } } })).toEqual(['default', 'default']);
});

it('development access works for the tenant of the plugin', async () => {
  const authenticators = { keys: { use: keys, with: { tenant: 'acme' } } };
  expect(await tenantsIn({ ...base, authenticators })).toEqual(['acme', 'acme']);
});

it('development access leaves a bootstrap key of the config in force', async () => {
  const bootstrapKey = canary('bootstrap-key');
  const adapted = adapt({ ...base, authenticators: { keys: { use: keys, with: { bootstrapKey } } } });
  expect(adapted.authenticators?.['keys']).toEqual({ use: keys, with: { bootstrapKey } });
  expect(await tenantsIn(adapted)).toEqual(['default', 'default']);
});

it('the authenticator is the same at every reload, so that it is not replaced', () => {
  expect(adapt(base).authenticators?.['patchbay-dev']?.use).toBe(adapt(base).authenticators?.['patchbay-dev']?.use);
});
