import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Cache, Clock, Logger } from '@patchbay/core/plugin';
import { cacheConformance, rateLimiterConformance, secretsConformance, telemetryConformance } from '@patchbay/testing';
import { describe, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const logger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
const signal = new AbortController().signal;

/** The part of a plugin that creates its instance. */
interface PluginDefinition {
  create(given: never): unknown;
}

/** Import the first plugin of a page under docs/plugins. */
async function pluginOf(page: string): Promise<PluginDefinition> {
  const [, code = ''] =
    /```ts\n([\s\S]*?)```/.exec(readFileSync(join(root, 'docs/plugins', `${page}.md`), 'utf8')) ?? [];
  const folder = join(root, 'dist/plugin-pages');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${page}.ts`);
  writeFileSync(file, code);
  const module: { readonly default: { readonly definition: PluginDefinition } } = await import(
    /* @vite-ignore */ pathToFileURL(file).href
  );
  return module.default.definition;
}

/** Create a plugin with options, as a host does. */
function create<T>(definition: PluginDefinition, config: object, clock?: Clock): T {
  const given = { config, deps: { clock }, logger, mount: 'documented', directory: '.' };
  return definition.create(given as never) as T;
}

describe('the plugin of docs/plugins/rate-limiter.md', async () => {
  const definition = await pluginOf('rate-limiter');
  rateLimiterConformance(
    { describe, it },
    { create: (time) => create(definition, {}, { now: () => time.now(), monotonic: () => time.now() }) },
  );
});

describe('the plugin of docs/plugins/cache.md', async () => {
  const definition = await pluginOf('cache');
  cacheConformance(
    { describe, it },
    {
      capabilities: ['shared'],
      async create() {
        let now = 1_000_000;
        const file = join(mkdtempSync(join(tmpdir(), 'patchbay-cache-')), 'cache.db');
        const open = async () => {
          const cache = create<Cache>(definition, { file, maxEntries: 100 }, { now: () => now, monotonic: () => now });
          await cache.start?.(signal);
          return cache;
        };
        return {
          cache: await open(),
          another: open,
          async advance(ms) {
            now += ms;
          },
        };
      },
    },
  );
});

describe('the plugin of docs/plugins/telemetry.md', async () => {
  const definition = await pluginOf('telemetry');
  const clock = { now: Date.now, monotonic: () => performance.now() };
  telemetryConformance({ describe, it }, { create: () => create(definition, { host: '127.0.0.1', port: 9 }, clock) });
});

describe('the plugin of docs/plugins/secrets.md', async () => {
  const definition = await pluginOf('secrets');
  secretsConformance(
    { describe, it },
    {
      create() {
        const folder = mkdtempSync(join(tmpdir(), 'patchbay-secrets-'));
        writeFileSync(join(folder, 'api-key'), 's3cret');
        return { secrets: create(definition, { folder }), known: { 'api-key': 's3cret' }, missing: 'absent' };
      },
    },
  );
});
