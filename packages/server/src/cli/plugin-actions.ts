import { resolve } from 'node:path';
import { inspectPlugin, installedPlugins, PatchbayError } from '@patchbay/core';
import { createPlugin } from '@patchbay/create-plugin';
import type { Action } from './cli-context.ts';
import { exitCodes } from './cli-failure.ts';
import { type Printing, printResult } from './output.ts';

const IMPORT_TIMEOUT_MS = 10_000;

export const newPlugin: Action<Printing, [kind: string, name: string, folder: string | undefined]> = async (
  { cwd, output },
  options,
  kind,
  name,
  folder,
) => {
  const created = await createPlugin({ kind, name, parent: cwd, ...(folder !== undefined && { directory: folder }) });
  const files = created.files.map((file) => resolve(cwd, created.directory, file));
  const { name: full, next } = created;
  const document = { name: full, directory: resolve(cwd, created.directory), files, next };
  printResult(output, options, document, files.join('\n'));
  output.note(`wrote ${full}; next:`);
  for (const command of next) output.note(`  ${command}`);
};

export const checkPlugin: Action<Printing, [use: string]> = async ({ cwd, output }, options, use) => {
  const places = { directory: cwd, bases: [import.meta.url], timeoutMs: IMPORT_TIMEOUT_MS };
  const { config, ...plugin } = await inspectPlugin(use, places).catch((error: unknown) => {
    // Here the requested plugin is at fault, not a config.
    if (!PatchbayError.is(error)) throw error;
    throw Object.assign(new Error(error.message), { code: error.code });
  });
  const claims = plugin.capabilities.length === 0 ? 'claims nothing' : `claims ${plugin.capabilities.join(', ')}`;
  const described = Object.entries(config.properties).map(([name, { type, description = '' }]) =>
    `  ${name} (${[type].flat().join(' or ')}) ${description}`.trimEnd(),
  );
  const text = [`${plugin.name}: ${plugin.kind}@${plugin.contractVersion}, ${claims}`, ...described].join('\n');
  printResult(output, options, { ...plugin, config }, text);
  if (!options.json) for (const fault of plugin.faults) output.note(fault);
  return plugin.faults.length === 0 ? exitCodes.ok : exitCodes.failure;
};

export const listPlugins: Action<Printing> = async ({ cwd, output }, options) => {
  for (const plugin of installedPlugins({ directory: cwd, bases: [import.meta.url] })) {
    const { name, version = '', kind, fault = '' } = plugin;
    printResult(output, options, plugin, `${kind}\t${name}\t${version}\t${fault}`.trimEnd());
  }
};
