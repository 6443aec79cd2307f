import { memberPointer } from '../base/json-pointer.ts';

/** Something that can be a schema. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The keywords that hold schemas, by how: one, a list, or an object of them by name. */
export const schemaHolders = {
  one: [
    'items',
    'additionalItems',
    'unevaluatedItems',
    'contains',
    'propertyNames',
    'additionalProperties',
    'unevaluatedProperties',
    'not',
    'if',
    'then',
    'else',
  ],
  list: ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items'],
  named: ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'],
} as const;

/** The schemas directly within a schema, each with its pointer. */
export function* schemasWithin(
  node: Readonly<Record<string, unknown>>,
  at: string,
): Generator<[pointer: string, schema: Readonly<Record<string, unknown>>, keyword: string]> {
  for (const keyword of schemaHolders.one) {
    const child = node[keyword];
    if (isObject(child)) yield [`${at}/${keyword}`, child, keyword];
  }
  for (const keyword of schemaHolders.list) {
    const children: unknown = node[keyword];
    if (!Array.isArray(children)) continue;
    for (const [index, child] of children.entries()) {
      if (isObject(child)) yield [`${at}/${keyword}/${index}`, child, keyword];
    }
  }
  for (const keyword of schemaHolders.named) {
    const children = node[keyword];
    if (!isObject(children)) continue;
    for (const [name, child] of Object.entries(children)) {
      if (isObject(child)) yield [memberPointer(`${at}/${keyword}`, name), child, keyword];
    }
  }
}
