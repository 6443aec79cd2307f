import type { AppConfig } from '@patchbay/core';
import type { Report } from '../report.ts';
import type { Source } from '../source/source.ts';
import type { Deployment } from './read-deployments.ts';

export type Aliases = NonNullable<NonNullable<AppConfig['gateway']>['aliases']>;

/** Sections that may have fallbacks. */
const sections = ['router_settings', 'litellm_settings'] as const;

/** The models that a name of LiteLLM stands for, in the order in which they are tried. */
type ModelsOf = (name: string) => readonly string[];

/** Make an alias of every name of `model_list`, with the other deployments and the fallbacks after its model. */
export function readAliases(root: Source, deployments: readonly Deployment[], report: Report): Aliases {
  const groups = Map.groupBy(deployments, ({ group }) => group);
  const modelsOf = createModelsOf(deployments);
  const fallbacks = readFallbacks(root, new Set(groups.keys()), modelsOf, report);
  const standard = readDefaultFallbacks(root, modelsOf, report);
  const aliases: Record<string, Aliases[string]> = {};
  const add = (source: Source, name: string, of: string): void => {
    const [model, ...others] = modelsOf(of);
    const isReserved = /^(?:auto$|auto:|fn\/)/.test(name);
    if (isReserved || model === undefined) {
      report.notMapped(source, isReserved ? `${name} means something else here` : `model_list has no ${of}`);
      return;
    }
    const behind = [...others, ...(fallbacks.get(of) ?? standard)].filter((each) => each !== model);
    if (deployments.some((each) => each.model === name)) {
      // The id of a model takes precedence over an alias.
      if (behind.length > 0)
        report.changed(source, `${name} is the id of a model, so it has no fallbacks: ${behind.join(', ')}`);
      return;
    }
    aliases[name] = { model, ...(behind.length > 0 && { fallbacks: [...new Set(behind)] }) };
  };

  for (const [name, [first, second]] of groups) {
    if (first === undefined || isWildcard(first)) continue;
    add(first.source, name, name);
    if (second) {
      report.changed(
        second.source,
        `load is not balanced: ${second.model} is a fallback of ${first.model} under ${name}`,
      );
    }
  }
  for (const [name, target] of root.member('router_settings')?.member('model_group_alias')?.members() ?? []) {
    const of = typeof target.scalar === 'string' ? target.scalar : target.text('model');
    if (of === undefined) continue;
    target.take();
    add(target, name, of);
    if (aliases[name]) report.mapped(target, `the alias ${name} of ${aliases[name].model}`);
  }
  return aliases;
}

function isWildcard({ model }: Deployment): boolean {
  return model.endsWith('/*');
}

function createModelsOf(deployments: readonly Deployment[]): ModelsOf {
  return (name) => {
    const inGroup = deployments.filter((each) => each.group === name && !isWildcard(each));
    if (inGroup.length > 0) return inGroup.map(({ model }) => model);
    const byId = deployments.find(({ id }) => id === name);
    if (byId) return [byId.model];
    const wildcard = deployments.find((each) => isWildcard(each) && fits(name, each.group));
    return wildcard ? [wildcard.model.replace('*', name.slice(name.indexOf('/') + 1))] : [];
  };
}

function fits(name: string, pattern: string): boolean {
  const [start = '', end = ''] = pattern.split('*');
  return (
    pattern.includes('*') && name.startsWith(start) && name.endsWith(end) && name.length > start.length + end.length
  );
}

/** Fallbacks by name. Those for long prompts are used for all failures. */
function readFallbacks(
  root: Source,
  names: ReadonlySet<string>,
  modelsOf: ModelsOf,
  report: Report,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  const read = (entry: Source, difference?: string): void => {
    for (const [name, list] of entry.members()) {
      if (name === '*') continue;
      if (!names.has(name)) {
        report.notMapped(list, `model_list has no ${name}`);
        continue;
      }
      const models = targetsOf(list, modelsOf, report);
      if (models.length === 0) continue;
      found.set(name, [...(found.get(name) ?? []), ...models]);
      const text = `fallbacks of ${name}: ${models.join(', ')}`;
      if (difference === undefined) report.mapped(list, text);
      else report.changed(list, `${text}; ${difference}`);
    }
  };
  for (const section of sections) {
    for (const entry of root.member(section)?.member('fallbacks')?.items() ?? []) read(entry);
  }
  for (const section of sections) {
    for (const entry of root.member(section)?.member('context_window_fallbacks')?.items() ?? []) {
      read(entry, 'also used after failures of other kinds');
    }
  }
  return found;
}

/** Fallbacks of all other names. */
function readDefaultFallbacks(root: Source, modelsOf: ModelsOf, report: Report): readonly string[] {
  return sections.flatMap((name) => {
    const section = root.member(name);
    const stars = (section?.member('fallbacks')?.items() ?? []).flatMap((entry) => entry.member('*') ?? []);
    const lists = [...stars, ...[section?.member('default_fallbacks')].flatMap((each) => each ?? [])];
    return lists.flatMap((list) => {
      const models = targetsOf(list, modelsOf, report);
      if (models.length > 0) report.mapped(list, `fallbacks of every alias without its own: ${models.join(', ')}`);
      return models;
    });
  });
}

function targetsOf(list: Source, modelsOf: ModelsOf, report: Report): readonly string[] {
  return list.items().flatMap((target) => {
    if (typeof target.scalar !== 'string') return [];
    const models = modelsOf(target.scalar);
    if (models.length === 0) report.notMapped(target, `model_list has no ${target.scalar}`);
    else target.take();
    return models;
  });
}
