import { createTransport } from '@patchbay/core';
import type { Logger, Plugin } from '@patchbay/core/plugin';
import { type ImportedConfig, type OwnModel, type ProviderMount, textCapabilities } from '@patchbay/import';

type Providers = ImportedConfig['providers'];

const silent = (): void => {};
const logger: Logger = { debug: silent, info: silent, warn: silent, error: silent };

/** Describe what models that no plugin lists can do, and leave out those about which nothing is known. */
export async function completeModels(providers: Providers): Promise<Providers> {
  const entries = Object.entries(providers).map(async ([name, mount]) => [name, await complete(mount)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

async function complete(mount: ProviderMount): Promise<ProviderMount> {
  const { models = [], ...options } = mount.with;
  if (models.every(({ capabilities }) => capabilities !== undefined)) return mount;
  const listed = await listedModels(mount);
  const own = models.flatMap((model): readonly OwnModel[] => {
    if (!listed.has(model.name)) return [{ ...model, capabilities: model.capabilities ?? textCapabilities }];
    return Object.keys(model).length > 1 ? [model] : [];
  });
  return { use: mount.use, with: { ...options, ...(own.length > 0 && { models: own }) } };
}

/** The models that a plugin lists for a vendor. Nothing is requested from the vendor. */
async function listedModels({ use, with: { preset } }: ProviderMount): Promise<ReadonlySet<string>> {
  const { definition } = ((await import(use)) as { readonly default: Plugin<'provider'> }).default;
  const defaults = Object.entries(definition.config.properties ?? {}).map(([name, option]) => [name, option.default]);
  const config = { ...Object.fromEntries(defaults), apiKey: 'none', ...(preset && { preset }) };
  const transport = createTransport();
  try {
    const parts = { config, deps: { transport }, logger, mount: 'providers.imported', directory: '.' };
    const provider = definition.create(parts);
    await provider.start?.(new AbortController().signal);
    return new Set((await provider.models()).map(({ name }) => name));
  } finally {
    await transport.stop();
  }
}
