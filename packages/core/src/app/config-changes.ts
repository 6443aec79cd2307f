import { isDeepStrictEqual } from 'node:util';
import type { CompleteConfig } from '../config/check-app-config.ts';
import type { PluginMount } from './mounts.ts';

/** A config that was checked, with its plugins. */
export interface CheckedMounts {
  readonly config: CompleteConfig;
  readonly mounts: readonly PluginMount[];
}

/** Options that services are made of anew: by the first part of their path, or all of it. */
const reloadable = ['functions', 'gateway', 'tenants', 'limits'] as const;

/** Of `executions`, what is read when an execution begins. The rest belongs to what runs in the background. */
const perExecution = ['timeoutMs', 'asyncTimeoutMs', 'outputBytes', 'logBytes', 'maxQueued'] as const;

const lasting = ['usage', 'webhooks', 'secret', 'secretFile', 'previousSecrets', 'autoMigrate'] as const;

/** Whether a mount can be replaced while everything runs. The artifacts of functions belong to the plugin that made them. */
export function isReplaceable({ kind, plugin }: PluginMount, before: PluginMount | undefined): boolean {
  if (kind === 'executor') return before !== undefined && before.plugin === plugin;
  return kind === 'provider' || kind === 'router' || kind === 'authenticator';
}

export function isSameMount(one: PluginMount, other: PluginMount): boolean {
  return (
    one.plugin === other.plugin && one.optional === other.optional && isDeepStrictEqual(one.options, other.options)
  );
}

/** The places outside of mounts at which two configs differ: those that a reload takes over, and those that it cannot. */
export function optionChanges(
  before: CompleteConfig,
  after: CompleteConfig,
): { readonly changed: readonly string[]; readonly needsRestart: readonly string[] } {
  const differs = (key: keyof CompleteConfig) => !isDeepStrictEqual(before[key], after[key]);
  const executions = Object.keys({ ...before.executions, ...after.executions }) as (keyof typeof before.executions)[];
  const changedExecutions = executions.filter((key) => before.executions[key] !== after.executions[key]);
  const isPerExecution = (key: string) => perExecution.some((each) => each === key);
  const named = (keys: readonly string[]) => keys.map((key) => `executions.${key}`);
  return {
    changed: [...reloadable.filter(differs), ...named(changedExecutions.filter(isPerExecution))],
    needsRestart: [...lasting.filter(differs), ...named(changedExecutions.filter((key) => !isPerExecution(key)))],
  };
}

/** The config that is in force after a reload: the new one, except for what needs a restart. */
export function withoutRestart(before: CompleteConfig, after: CompleteConfig): CompleteConfig {
  const kept = Object.fromEntries(lasting.map((key) => [key, before[key]])) as Pick<
    CompleteConfig,
    (typeof lasting)[number]
  >;
  const executions = Object.fromEntries(perExecution.map((key) => [key, after.executions[key]]));
  return { ...after, ...kept, executions: { ...before.executions, ...executions } };
}
