import type { JsonValue, Schema, SchemaType } from '@patchbay/core/plugin';

/**
 * How closely a type follows its schema. `exact`: enums are their values, for an author who writes `Input` or `Output`.
 * `loose`: what is inferred for a function without declared types, such as `string` for a text, has to fit.
 */
export type Closeness = 'exact' | 'loose';

export interface TypeOptions {
  readonly closeness: Closeness;
  /** Which properties are always there. */
  readonly present: 'required' | 'required or default' | 'all';
}

/** A schema as the text of a TypeScript type. */
export function schemaType(schema: Schema, options: TypeOptions): string {
  const parts: string[] = [];
  if (schema.const !== undefined) parts.push(valueType(schema.const, options));
  else if (schema.enum !== undefined) parts.push(union(schema.enum.map((value) => valueType(value, options))));
  else if (schema.type !== undefined || schema.properties !== undefined) parts.push(typesOf(schema, options));
  if (schema.anyOf !== undefined) parts.push(union(schema.anyOf.map((member) => schemaType(member, options))));
  if (parts.length === 0) return unknownType(options);
  return parts.length === 1 ? (parts[0] ?? '') : parts.map((part) => `(${part})`).join(' & ');
}

const unknownType = ({ closeness }: TypeOptions): string => (closeness === 'loose' ? 'unknown' : 'any');

function union(types: readonly string[]): string {
  return types.length === 0 ? 'never' : [...new Set(types)].map((type) => `(${type})`).join(' | ');
}

function typesOf(schema: Schema, options: TypeOptions): string {
  const { type = 'object' } = schema;
  const types: readonly SchemaType[] = typeof type === 'string' ? [type] : type;
  return union(types.map((name) => typeOf(name, schema, options)));
}

function typeOf(name: SchemaType, schema: Schema, options: TypeOptions): string {
  switch (name) {
    case 'integer':
      return 'number';
    case 'array':
      return `(${schema.items === undefined ? unknownType(options) : schemaType(schema.items, options)})[]`;
    case 'object':
      return objectType(schema, options);
    default:
      return name;
  }
}

function objectType({ properties = {}, required = [], additionalProperties }: Schema, options: TypeOptions): string {
  const names = [...new Set([...Object.keys(properties), ...required])];
  if (names.length === 0) {
    // An interface has no index signature, so that a record of anything else than `any` would refuse it.
    if (options.closeness === 'loose') return 'object';
    const values = typeof additionalProperties === 'object' ? schemaType(additionalProperties, options) : 'any';
    return `Record<string, ${values}>`;
  }
  const members = names.map((name) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const present = options.present === 'all' || required.includes(name) || isFilledIn(schema, options);
    const type = schema === undefined ? unknownType(options) : schemaType(schema, options);
    return `${JSON.stringify(name)}${present ? '' : '?'}: ${type}`;
  });
  return `{ ${members.join('; ')} }`;
}

function isFilledIn(schema: Schema | undefined, { present }: TypeOptions): boolean {
  return present === 'required or default' && schema?.default !== undefined;
}

function valueType(value: JsonValue, { closeness }: TypeOptions): string {
  if (value === null) return 'null';
  if (typeof value === 'object') return 'any';
  return closeness === 'loose' ? typeof value : JSON.stringify(value);
}
