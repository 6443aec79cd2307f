import { cp, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as one from '@patchbay/core';
import * as ownPlugin from '@patchbay/core/plugin';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFetchHandler } from './fetch-handler.ts';

// Package managers do this when versions conflict: a plugin, or the host, gets another copy of the core.

type Core = typeof one;
type PluginEntry = typeof ownPlugin;

const core = fileURLToPath(new URL('../../core', import.meta.url));
let folder: string;
let two: Core;
let otherPlugin: PluginEntry;
beforeAll(async () => {
  // Beside the sources of the core, where its dependencies are found.
  folder = await mkdtemp(join(core, '.second-copy-'));
  const filter = (file: string) => !/\.test\.ts$|\bfixtures$/.test(file);
  await cp(join(core, 'src'), join(folder, 'src'), { recursive: true, filter });
  await cp(join(core, 'package.json'), join(folder, 'package.json'));
  const load = async (entry: string) => (await import(pathToFileURL(join(folder, 'src', entry)).href)) as unknown;
  two = (await load('index.ts')) as Core;
  otherPlugin = (await load('plugin.ts')) as PluginEntry;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A provider and an authenticator of one copy of the core. */
function pluginsOf({ definePlugin, PatchbayError, services, tenantId }: PluginEntry) {
  const keys = definePlugin({
    name: 'keys',
    kind: 'authenticator',
    version: 1,
    config: { properties: {} },
    create: () => ({
      async authenticate({ token }) {
        if (token === 'expired') throw new PatchbayError('token_expired', 'the token has expired');
        return { id: 'user|1', kind: 'user', tenant: tenantId('acme'), scopes: ['*'] };
      },
    }),
  });
  const house = definePlugin({
    name: 'house',
    kind: 'provider',
    version: 1,
    config: { properties: {} },
    deps: { clock: services.clock },
    create: ({ deps }) => ({
      models: async () => [{ name: 'large', capabilities: ['chat'], maxTokens: 100 }],
      async chat() {
        const seconds = deps.clock.now() > 0 ? 7 : 0;
        throw new PatchbayError('provider_rate_limited', 'the house is busy', { retryAfter: seconds });
      },
    }),
  });
  return { keys, house };
}

it.each([
  ['the plugins', () => [one, otherPlugin] as const],
  ['the app', () => [two, ownPlugin] as const],
  ['the app and the plugins', () => [two, otherPlugin] as const],
])('a server works if %s have another copy of the core', async (_who, choose) => {
  const [core, plugin] = choose();
  expect(two.createApp).not.toBe(one.createApp);
  const { keys, house } = pluginsOf(plugin);
  const app = await core.createApp({
    patchbay: 1,
    authenticators: { keys: { use: keys } },
    providers: { house: { use: house } },
  });
  const handler = createFetchHandler(app as one.App);
  const ask = async (token: string) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ prompt: 'Hello', model: 'house/large' });
    const response = await handler(new Request('http://localhost/generate', { method: 'POST', headers, body }));
    return [response.status, ((await response.json()) as { code: string }).code, response.headers.get('retry-after')];
  };
  expect(await ask('expired')).toEqual([401, 'token_expired', null]);
  expect(await ask('good')).toEqual([503, 'provider_rate_limited', '7']);
  await app.host.stop(0);
});
