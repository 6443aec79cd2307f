import type { OptionSchema } from '../contracts/config-schema.ts';
import { type AppConfig, appConfigSchema } from './app-config.ts';
import { isPlainObject } from './config-path.ts';
import { memberSchema } from './describe-fault.ts';
import type { PluginMount } from './mounts.ts';
import { urlSecrets } from './url-secrets.ts';

/**
 * Every secret in a config: the values of options that are marked `writeOnly`, those of its plugins as well, and the
 * credentials in URLs.
 */
export function configSecrets(
  config: AppConfig,
  mounts: readonly Pick<PluginMount, 'plugin' | 'options'>[],
): readonly string[] {
  const ofPlugins = mounts.flatMap(({ plugin, options }) =>
    secretsIn(options, { type: 'object', ...plugin.definition.config }),
  );
  return [...secretsIn(config, { type: 'object', ...appConfigSchema }), ...ofPlugins];
}

function secretsIn(value: unknown, schema: OptionSchema | undefined): readonly string[] {
  if (schema === undefined) return [];
  if (typeof value === 'string') return [...(schema.writeOnly ? [value] : []), ...urlSecrets(value)];
  const isArray = Array.isArray(value);
  const members = isArray ? [...value.entries()] : isPlainObject(value) ? Object.entries(value) : [];
  return members.flatMap(([name, member]) => {
    const inner = memberSchema(schema, String(name), isArray);
    return secretsIn(member, schema.writeOnly && inner ? { ...inner, writeOnly: true } : inner);
  });
}
