import { resolve } from 'node:path';
import { inspectPlugin, installedPlugins, PatchbayError } from '@patchbay/core';
import { createPlugin } from '@patchbay/create-plugin';
import type { CliContext } from './cli-context.ts';
import { exitCodes } from './cli-failure.ts';

type Context = Pick<CliContext, 'cwd' | 'output'>;

const IMPORT_TIMEOUT_MS = 10_000;

interface NewPluginOptions {
  readonly kind: string;
  readonly name: string;
  readonly folder: string | undefined;
  readonly json?: boolean;
}

export async function newPlugin(
  { cwd, output }: Context,
  { kind, name, folder, json }: NewPluginOptions,
): Promise<number> {
  const created = await createPlugin({
    kind,
    name,
    parent: cwd,
    ...(folder === undefined ? {} : { directory: folder }),
  });
  const files = created.files.map((file) => resolve(cwd, created.directory, file));
  const { name: full, next } = created;
  if (json) output.result(JSON.stringify({ name: full, directory: resolve(cwd, created.directory), files, next }));
  else for (const file of files) output.result(file);
  output.note(`wrote ${full}; next:`);
  for (const command of next) output.note(`  ${command}`);
  return exitCodes.ok;
}

export async function checkPlugin(
  { cwd, output }: Context,
  use: string,
  { json }: { readonly json?: boolean },
): Promise<number> {
  const options = { directory: cwd, bases: [import.meta.url], timeoutMs: IMPORT_TIMEOUT_MS };
  const { config, ...plugin } = await inspectPlugin(use, options).catch((error: unknown) => {
    // Here it is what was asked for, and not a config that is wrong.
    if (!PatchbayError.is(error)) throw error;
    throw Object.assign(new Error(error.message), { code: error.code });
  });
  if (json) output.result(JSON.stringify({ ...plugin, config }));
  else {
    const claims = plugin.capabilities.length === 0 ? 'claims nothing' : `claims ${plugin.capabilities.join(', ')}`;
    output.result(`${plugin.name}: ${plugin.kind}@${plugin.contractVersion}, ${claims}`);
    for (const [name, { type, description = '' }] of Object.entries(config.properties)) {
      output.result(`  ${name} (${type}) ${description}`.trimEnd());
    }
    for (const fault of plugin.faults) output.note(fault);
  }
  return plugin.faults.length === 0 ? exitCodes.ok : exitCodes.failure;
}

export async function listPlugins({ cwd, output }: Context, { json }: { readonly json?: boolean }): Promise<number> {
  for (const plugin of installedPlugins({ directory: cwd, bases: [import.meta.url] })) {
    const { name, version = '', kind, fault = '' } = plugin;
    output.result(json ? JSON.stringify(plugin) : `${kind}\t${name}\t${version}\t${fault}`.trimEnd());
  }
  return exitCodes.ok;
}
