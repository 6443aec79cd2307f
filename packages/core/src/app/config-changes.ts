import { appConfigSchema, type CompleteConfig } from '../config/app-config.ts';
import { type ChangedOptions, changedOptions, withoutRestart } from '../config/changed-options.ts';
import { type PluginMount, singleKinds } from '../config/mounts.ts';

/** Mounts are compared one by one, and started; the rest is compared here. */
const mountKeys: readonly string[] = [...singleKinds, 'providers', 'authenticators'];
const optionSchema = {
  properties: Object.fromEntries(
    Object.entries(appConfigSchema.properties).filter(([key]) => !mountKeys.includes(key)),
  ),
};

/** Whether a mount can be replaced while everything runs, as the schema says. */
export function isReplaceable({ path, plugin }: PluginMount, before: PluginMount | undefined): boolean {
  const option = appConfigSchema.properties[path[0] ?? ''];
  if (option?.reload !== true) return false;
  return option.properties?.['use']?.reload !== false || before?.plugin === plugin;
}

/** Names of everything that differs in a mount: `providers.openai.with.apiKey`. */
export function mountChanges(before: PluginMount, after: PluginMount): readonly string[] {
  const { name, plugin } = after;
  if (before.plugin !== plugin) return [`${name}.use`];
  const { changed, needsRestart } = changedOptions(
    plugin.definition.config,
    before.options,
    after.options,
    `${name}.with`,
  );
  return [...changed, ...needsRestart, ...(before.optional === after.optional ? [] : [`${name}.optional`])];
}

/** The options outside of mounts at which two configs differ: those that a reload takes over, and those that it cannot. */
export function optionChanges(before: CompleteConfig, after: CompleteConfig): ChangedOptions {
  return changedOptions(optionSchema, before, after);
}

/** The config that is in force after a reload: the new one, except for what needs a restart. */
export function configInForce(before: CompleteConfig, after: CompleteConfig): CompleteConfig {
  const mounts = Object.entries(after).filter(([key]) => mountKeys.includes(key));
  const options = withoutRestart({ type: 'object', ...optionSchema }, before, after);
  return { ...Object.fromEntries(mounts), ...(options as CompleteConfig) };
}
