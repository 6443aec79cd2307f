import type { Schema, SchemaType } from '@patchbay/core/plugin';

const everyType: readonly SchemaType[] = ['string', 'number', 'boolean', 'object', 'array', 'null'];

const keywordTypes: readonly (readonly [SchemaType, readonly (keyof Schema)[]])[] = [
  ['object', ['properties', 'required', 'additionalProperties']],
  ['array', ['items', 'minItems', 'maxItems']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
];

/** The types that a value may have; where the schema does not say, all of them, the one that it means first. */
export function typesOf(schema: Schema): readonly SchemaType[] {
  if (schema.type !== undefined) return [schema.type].flat() as SchemaType[];
  const meant = keywordTypes.find(([, keywords]) => keywords.some((keyword) => schema[keyword] !== undefined))?.[0];
  return meant === undefined ? everyType : [meant, ...everyType.filter((type) => type !== meant)];
}
