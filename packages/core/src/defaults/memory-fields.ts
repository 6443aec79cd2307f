import { collections, type FieldType } from '../contracts/collections.ts';
import type { Collection } from '../contracts/rows.ts';

/** A row of any collection. */
export type Fields = Readonly<Record<string, unknown>>;

interface Descriptor {
  readonly fields: Readonly<Record<string, FieldType>>;
  readonly sort: readonly string[];
  readonly filter: readonly string[];
  readonly unique: readonly string[];
}

/** The table of collections, for code that works on any of them. */
export const descriptors: Readonly<Record<Collection, Descriptor>> = collections;

/** The fields of an update, which never name the id or the revision. */
export function changedFields(collection: Collection, set: object): Fields {
  const names = Object.keys(set);
  const wrong = names.find((name) => name === 'id' || name === 'revision');
  if (wrong !== undefined) throw new TypeError(`the field ${wrong} of ${collection} cannot be set`);
  return checkedFields(collection, { ...set }, names);
}

/** A frozen copy of these fields. A value of the wrong type is a fault of the calling code. */
export function checkedFields(collection: Collection, values: Fields, names: readonly string[]): Fields {
  return Object.freeze(Object.fromEntries(names.map((name) => [name, checked(collection, name, values[name])])));
}

function checked(collection: Collection, name: string, value: unknown): unknown {
  const type = Object.hasOwn(descriptors[collection].fields, name) ? descriptors[collection].fields[name] : undefined;
  if (type === undefined) throw new TypeError(`${collection} has no field ${name}`);
  const nullable = type.endsWith('?');
  const plain = nullable ? type.slice(0, -1) : type;
  if (value === null && nullable) return null;
  if (plain === 'json' && value !== undefined)
    return JSON.parse(JSON.stringify(value), (_, part) => Object.freeze(part));
  const fits =
    plain === 'integer' ? Number.isInteger(value) : typeof value === (plain === 'boolean' ? plain : 'string');
  if (!fits) throw new TypeError(`the field ${name} must be of type ${type}`);
  return value;
}
