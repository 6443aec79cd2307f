import type { JsonValue, Schema, SchemaType } from '@patchbay/core/plugin';
import { isEqualJson } from './fits-schema.ts';

/**
 * A schema for what fits both. Not always exact, such as for two patterns or two factors, so that a value that was made
 * for it has to be checked against both.
 */
export function mergeSchemas(one: Schema, other: Schema): Schema {
  const type = commonTypes(one.type, other.type);
  const merged = {
    ...one,
    ...other,
    ...(type && { type }),
    ...(one.enum && other.enum && { enum: commonValues(one.enum, other.enum) }),
    ...tightest('minLength', one, other, Math.max),
    ...tightest('maxLength', one, other, Math.min),
    ...tightest('minimum', one, other, Math.max),
    ...tightest('maximum', one, other, Math.min),
    ...tightest('exclusiveMinimum', one, other, Math.max),
    ...tightest('exclusiveMaximum', one, other, Math.min),
    ...tightest('minItems', one, other, Math.max),
    ...tightest('maxItems', one, other, Math.min),
    ...(one.required && other.required && { required: [...new Set([...one.required, ...other.required])] }),
    ...(one.items && other.items && { items: mergeSchemas(one.items, other.items) }),
  };
  const additionalProperties = commonAdditional(one, other);
  return {
    ...merged,
    ...((one.properties || other.properties) && { properties: commonProperties(one, other) }),
    ...(additionalProperties !== undefined && { additionalProperties }),
  };
}

function commonValues(ones: readonly JsonValue[], others: readonly JsonValue[]): readonly JsonValue[] {
  return ones.filter((one) => others.some((other) => isEqualJson(one, other)));
}

function commonTypes(one: Schema['type'], other: Schema['type']): readonly SchemaType[] | undefined {
  if (one === undefined || other === undefined) return undefined;
  const ones = [one].flat() as SchemaType[];
  const others = [other].flat() as SchemaType[];
  const within = (types: readonly SchemaType[], type: SchemaType): boolean =>
    types.includes(type) || (type === 'integer' && types.includes('number'));
  return [...new Set([...ones.filter((type) => within(others, type)), ...others.filter((type) => within(ones, type))])];
}

type Bound =
  | 'minLength'
  | 'maxLength'
  | 'minimum'
  | 'maximum'
  | 'exclusiveMinimum'
  | 'exclusiveMaximum'
  | 'minItems'
  | 'maxItems';

function tightest(bound: Bound, one: Schema, other: Schema, choose: (...values: number[]) => number): Schema {
  const values = [one[bound], other[bound]].filter((value) => value !== undefined);
  return values.length === 2 ? { [bound]: choose(...values) } : {};
}

function commonProperties(one: Schema, other: Schema): { readonly [name: string]: Schema } {
  const names = new Set([...Object.keys(one.properties ?? {}), ...Object.keys(other.properties ?? {})]);
  const common: [string, Schema][] = [];
  for (const name of names) {
    const ofOne = schemaOf(one, name);
    const ofOther = schemaOf(other, name);
    // One of the two refuses the property, so that no value may have it.
    if (ofOne && ofOther) common.push([name, mergeSchemas(ofOne, ofOther)]);
  }
  return Object.fromEntries(common);
}

function schemaOf({ properties = {}, additionalProperties = {} }: Schema, name: string): Schema | undefined {
  if (Object.hasOwn(properties, name)) return properties[name];
  if (typeof additionalProperties === 'boolean') return additionalProperties ? {} : undefined;
  return additionalProperties;
}

function commonAdditional(one: Schema, other: Schema): Schema['additionalProperties'] {
  const { additionalProperties: ofOne } = one;
  const { additionalProperties: ofOther } = other;
  if (ofOne === false || ofOther === false) return false;
  if (typeof ofOne === 'object' && typeof ofOther === 'object') return mergeSchemas(ofOne, ofOther);
  return typeof ofOne === 'object' ? ofOne : ofOther;
}
