import { isDeepStrictEqual } from 'node:util';
import type { ConfigSchema, OptionSchema } from '@patchbay/contracts/config-schema';
import { appConfigSchema, type CompleteConfig } from './app-config.ts';
import { isPlainObject, memberSchema } from './config-path.ts';
import { namedKeys, type PluginMount, singleKinds } from './mounts.ts';

/** Names of options that differ, such as `webhooks.ports`. Never their values. */
export interface ChangedOptions {
  /** Applied by a running process. */
  readonly changed: readonly string[];
  /** Applied at the next start. */
  readonly needsRestart: readonly string[];
}

/**
 * The differences between two versions of a section of a config, for a host that reloads it.
 *
 * @param section Prefix of the names of its options. Default: none.
 *
 * @example
 * ```ts
 * import { changedOptions } from '@patchbay/core';
 *
 * const schema = { properties: { port: { type: 'integer' }, level: { type: 'string', reload: true } } } as const;
 * changedOptions(schema, { port: 1, level: 'info' }, { port: 2, level: 'warn' }, 'server');
 * // { changed: ['server.level'], needsRestart: ['server.port'] }
 * ```
 */
export function changedOptions(schema: ConfigSchema, before: object, after: object, section?: string): ChangedOptions {
  const [old, now] = [before, after] as Readonly<Record<string, unknown>>[];
  const found = Object.entries(schema.properties).flatMap(([name, option]) =>
    differences(option, old?.[name], now?.[name], section === undefined ? name : `${section}.${name}`, false),
  );
  const named = (reload: boolean) => found.filter((each) => each.reload === reload).map(({ name }) => name);
  return { changed: named(true), needsRestart: named(false) };
}

/** The values for a running process: the new ones, except for those that require a restart. */
export function withoutRestart(option: OptionSchema, before: unknown, after: unknown, inherited = false): unknown {
  const reload = option.reload ?? inherited;
  const { properties } = option;
  if (properties === undefined || !isPlainObject(before) || !isPlainObject(after)) return reload ? after : before;
  const members = Object.entries(properties).map(([name, each]) => {
    return [name, withoutRestart(each, before[name], after[name], reload)] as const;
  });
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

interface Difference {
  readonly name: string;
  readonly reload: boolean;
}

function differences(
  option: OptionSchema,
  before: unknown,
  after: unknown,
  name: string,
  inherited: boolean,
): readonly Difference[] {
  if (isDeepStrictEqual(before, after)) return [];
  const reload = option.reload ?? inherited;
  if (isPlainObject(before) && isPlainObject(after)) {
    const members = Object.keys({ ...before, ...after }).flatMap((key) => {
      const member = memberSchema(option, key, false);
      return member === undefined ? [] : differences(member, before[key], after[key], `${name}.${key}`, reload);
    });
    if (members.length > 0) return members;
  }
  return [{ name, reload }];
}

/** Mounts are compared one by one, and started; the rest is compared here. */
const mountKeys: readonly string[] = [...singleKinds, ...namedKeys];
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

/** The differing options outside of mounts: those that a reload applies, and those that it cannot. */
export function optionChanges(before: CompleteConfig, after: CompleteConfig): ChangedOptions {
  return changedOptions(optionSchema, before, after);
}

/** The config after a reload: the new one, except for options that require a restart. */
export function configInForce(before: CompleteConfig, after: CompleteConfig): CompleteConfig {
  const mounts = Object.entries(after).filter(([key]) => mountKeys.includes(key));
  const options = withoutRestart({ type: 'object', ...optionSchema }, before, after);
  return { ...Object.fromEntries(mounts), ...(options as CompleteConfig) };
}
