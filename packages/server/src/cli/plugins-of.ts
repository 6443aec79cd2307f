import type { AppConfig } from '@patchbay/core';
import type { ConfigSchema } from '@patchbay/core/plugin';

/** What a config may say of a plugin. */
export interface DescribedPlugin {
  readonly name: string;
  readonly kind: string;
  readonly config: ConfigSchema;
}

/** Plugins that come with the server. */
const shipped = [
  '@patchbay/store-sqlite',
  '@patchbay/executor-deno',
  '@patchbay/auth-api-key',
  '@patchbay/auth-oauth',
  '@patchbay/provider-openai',
  '@patchbay/provider-anthropic',
  '@patchbay/provider-google',
  '@patchbay/provider-demo',
  '@patchbay/router-weighted',
];

/** The plugins that a config mounts, and those that come with the server. */
export async function pluginsOf({ app }: { readonly app: AppConfig }): Promise<readonly DescribedPlugin[]> {
  const { providers = {}, authenticators = {} } = app;
  const mounts = [...Object.values(app), ...Object.values(providers), ...Object.values(authenticators)] as unknown[];
  const mounted = mounts.flatMap((mount) => describedIn((mount as { readonly use?: unknown } | undefined)?.use));
  const own = await Promise.all(
    shipped.map(async (name) => describedIn(((await import(name)) as { default: unknown }).default)),
  );
  return [...new Map([...own.flat(), ...mounted].map((plugin) => [plugin.name, plugin])).values()];
}

function describedIn(plugin: unknown): readonly DescribedPlugin[] {
  const { definition } = Object(plugin) as { readonly definition?: DescribedPlugin };
  return definition === undefined ? [] : [definition];
}
