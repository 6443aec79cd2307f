import { type Collection, type CollectionDescriptor, collections } from '../contracts/rows.ts';

/** A row of any collection. */
export type Fields = Readonly<Record<string, unknown>>;

/** The table of collections, for code that works on any of them. */
export const descriptors: Readonly<Record<Collection, CollectionDescriptor>> = collections;

/** A frozen copy of these fields, whose values `storageArguments` has checked. */
export function frozenFields(collection: Collection, values: Fields, names: readonly string[]): Fields {
  const { fields } = descriptors[collection];
  const copied = (name: string): unknown =>
    fields[name]?.startsWith('json') ? deepFrozen(values[name]) : values[name];
  return Object.freeze(Object.fromEntries(names.map((name) => [name, copied(name)])));
}

function deepFrozen(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, part) => Object.freeze(part));
}
