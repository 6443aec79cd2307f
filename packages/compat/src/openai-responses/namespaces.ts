import { fieldsOf, listOf, textOf } from '@patchbay/core/provider';

/** A function as calls name it, by the only name known to models of other vendors. */
export type CallNames = ReadonlyMap<string, { readonly name: string; readonly namespace: string }>;

/** The single name of a function in a namespace. */
export function nameWithin(namespace: string, name: string): string {
  return `${namespace}__${name}`;
}

/** The functions of the namespaces among the tools of a request, or of the response that repeats them. */
export function callNames(tools: unknown): CallNames {
  const names = new Map<string, { readonly name: string; readonly namespace: string }>();
  for (const tool of listOf(tools) ?? []) {
    const { type, name: namespace, tools: own } = fieldsOf(tool) ?? {};
    if (type !== 'namespace' || typeof namespace !== 'string') continue;
    for (const each of listOf(own) ?? []) {
      const name = textOf(fieldsOf(each)?.['name']) ?? '';
      names.set(nameWithin(namespace, name), { name, namespace });
    }
  }
  return names;
}
