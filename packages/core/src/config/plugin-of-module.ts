import { didYouMean } from '../base/names.ts';
import type { Plugin } from '../contracts/define-plugin.ts';
import { contractVersions } from '../contracts/kinds.ts';

/** The plugin that a module exports, or what is wrong with it. */
export function pluginOfModule(module: object): Plugin | string {
  const exported: unknown = Reflect.get(module, 'default');
  // A CommonJS module that was compiled from ESM: its `default` is the `default` of what Node takes for the default.
  const inner = typeof exported === 'object' && exported !== null ? Reflect.get(exported, 'default') : undefined;
  const found = [exported, inner].find(isPlugin);
  if (found !== undefined) return definitionFault(found) ?? found;

  const named = Object.entries(module).find(([, value]) => isPlugin(value))?.[0];
  if (named !== undefined) return `exports its plugin as "${named}": make it the default export`;
  if (exported === undefined) return 'has no default export: export what definePlugin returns';
  return 'is not a Patchbay plugin: its default export is not what definePlugin returns';
}

/** By its brand, so that a plugin made with another installed copy of the core is one as well. */
export function isPlugin(value: unknown): value is Plugin {
  return typeof value === 'object' && value !== null && Reflect.get(value, '$$type') === 'patchbay.plugin';
}

/** What keeps a definition, perhaps written without types, from being used. */
export function definitionFault({ definition }: Plugin): string | undefined {
  if (typeof definition?.name !== 'string') return 'has no name in its definition';
  if (!Object.hasOwn(contractVersions, definition.kind)) {
    const hint = didYouMean(String(definition.kind), Object.keys(contractVersions));
    return `is a plugin of a kind that this host does not know: "${definition.kind}"${hint}`;
  }
  if (!Number.isInteger(definition.version)) return 'has no integer version in its definition';
  if (typeof definition.config?.properties !== 'object') return 'has no config.properties in its definition';
  if (typeof definition.create !== 'function') return 'has no create function in its definition';
  return undefined;
}
