import type { Schema } from '../json-schema.ts';
import { definitionOf } from './resolve-schema.ts';
import { isObject, schemaHolders } from './schemas-within.ts';

type Discriminated = Schema & { readonly discriminator?: { readonly propertyName: string } };

/**
 * Mark alternatives that one member tells apart, such as events by their `type`: only the alternative that it names is
 * checked, and its faults are the ones to report.
 *
 * @param schema A resolved schema.
 */
export function discriminate(schema: Schema): Schema {
  return mark(schema, schema);
}

function mark(schema: Schema, root: Schema): Schema {
  const marked: Record<string, unknown> = { ...schema };
  const inner = (value: unknown): unknown => (isObject(value) ? mark(value, root) : value);
  for (const keyword of schemaHolders.one) if (isObject(marked[keyword])) marked[keyword] = inner(marked[keyword]);
  for (const keyword of schemaHolders.list) {
    const list = marked[keyword];
    if (Array.isArray(list)) marked[keyword] = list.map(inner);
  }
  for (const keyword of schemaHolders.named) {
    const named = marked[keyword];
    if (!isObject(named)) continue;
    marked[keyword] = Object.fromEntries(Object.entries(named).map(([name, each]) => [name, inner(each)]));
  }
  const { anyOf, oneOf, type, properties } = schema;
  const options = anyOf ?? oneOf;
  if (!options || (anyOf && oneOf) || (type !== undefined && type !== 'object') || properties) return marked;
  const propertyName = discriminatorOf(options, root);
  if (propertyName === undefined) return marked;
  const { anyOf: any, oneOf: one = any, ...rest } = marked;
  return { ...rest, type: 'object', discriminator: { propertyName }, oneOf: one } as Schema;
}

/** The member whose value tells which alternative is meant; undefined if there is none. */
function discriminatorOf(options: readonly Schema[], root: Schema): string | undefined {
  const resolved = options.map((option) => definitionOf(option.$ref, root) ?? option);
  if (resolved.length < 2 || !resolved.every(({ type }) => type === 'object')) return undefined;
  return Object.keys(resolved[0]?.properties ?? {}).find((name) => {
    const values = resolved.map(({ properties = {}, required = [] }) =>
      required.includes(name) && Object.hasOwn(properties, name) ? namesIn(properties[name]) : [],
    );
    return values.every(({ length }) => length > 0) && new Set(values.flat()).size === values.flat().length;
  });
}

function namesIn(schema: Schema | undefined): readonly string[] {
  const values = schema?.const === undefined ? (schema?.enum ?? []) : [schema.const];
  return values.every((value) => typeof value === 'string') ? values : [];
}

/** The member that tells the alternatives of a marked schema apart. */
export const discriminatorName = (schema: Schema): string | undefined =>
  (schema as Discriminated).discriminator?.propertyName;
