import type { OptionSchema } from '@patchbay/core/plugin';

/** An option of a schema, and whether a running process applies a change of it. */
export interface FoundOption {
  readonly option: OptionSchema;
  readonly reload: boolean;
}

/** Finds an option by its path as `patchbay config docs` writes it: `a.b[].<name>.c`. */
export function optionAt(root: OptionSchema, path: string): FoundOption {
  let found: FoundOption = { option: root, reload: root.reload ?? false };
  for (const [part] of path.matchAll(/[^.[\]]+|\[\]/g)) {
    const next = childOf(found.option, part);
    if (next === undefined) throw new Error(`the schema has no ${path}`);
    found = { option: next, reload: next.reload ?? found.reload };
  }
  return found;
}

function childOf(option: OptionSchema, part: string): OptionSchema | undefined {
  if (part === '[]') return option.items;
  const { additionalProperties } = option;
  if (part === '<name>') return typeof additionalProperties === 'object' ? additionalProperties : undefined;
  return option.properties?.[part];
}
