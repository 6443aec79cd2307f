import type { Schema } from '@patchbay/core/plugin';
import { type JsonFields, levelSchema, type SchemaDialect, textOf } from '@patchbay/core/provider';

/** Keywords of strict structured outputs. developers.openai.com/api/docs/guides/structured-outputs, 2026-11. */
const strict: SchemaDialect = {
  keywords: new Set([
    'type',
    'properties',
    'required',
    'items',
    'enum',
    'const',
    'description',
    'title',
    'anyOf',
    '$ref',
    '$defs',
    'pattern',
    'format',
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'exclusiveMaximum',
    'multipleOf',
    'minItems',
    'maxItems',
  ]),
  formats: new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']),
  closedObjects: true,
};

/** A `json_schema` in both of OpenAI's APIs. */
export interface NamedSchema {
  readonly name: string;
  readonly schema: Record<string, unknown>;
  readonly strict: boolean;
  readonly description?: string;
}

/** The caller's wishes for a schema. */
export interface SchemaWishes {
  readonly name?: string;
  readonly description?: string;
  readonly strict?: boolean;
}

export function namedIn(format: JsonFields | undefined): SchemaWishes {
  const [name, description] = [textOf(format?.['name']), textOf(format?.['description'])];
  const strict = format?.['strict'];
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(typeof strict === 'boolean' && { strict }),
  };
}

export interface ResponseFormat {
  readonly format: NamedSchema;
  readonly warnings: readonly string[];
}

/**
 * The schema as OpenAI enforces it, or, where it cannot be enforced, as a hint with a warning. Making optional members
 * required and nullable, as OpenAI proposes, would let through completions that do not fit the caller's schema.
 */
export function responseFormat(schema: Schema, wishes: SchemaWishes = {}): ResponseFormat {
  const { strict: isStrict, ...named } = wishes;
  // Written for OpenAI: it is sent as it is.
  if (isStrict !== undefined) return { format: { ...jsonSchema({ ...schema }, isStrict), ...named }, warnings: [] };
  const obstacle = schema.type === 'object' ? obstacleIn(schema) : 'its root is not of type object';
  if (obstacle) {
    const warning = `the response schema is only described to the model, not enforced: ${obstacle}`;
    return { format: { ...jsonSchema({ ...schema }, false), ...named }, warnings: [warning] };
  }
  const levelled = levelSchema(schema, strict, 'the response schema');
  return { format: { ...jsonSchema(levelled.schema, true), ...named }, warnings: levelled.warnings };
}

function jsonSchema(schema: Record<string, unknown>, strict: boolean): NamedSchema {
  return { name: 'answer', schema, strict };
}

/** Why strict mode cannot express the schema. */
function obstacleIn(schema: Schema): string | undefined {
  const { properties = {}, required = [], additionalProperties = false } = schema;
  const optional = Object.keys(properties).find((name) => !required.includes(name));
  if (optional !== undefined) return `the member ${JSON.stringify(optional)} is optional`;
  if (additionalProperties !== false) return 'it allows further members';
  if (isObject(schema) && !schema.properties) return 'it has an object without declared members';
  const { items, anyOf = [], oneOf = [], allOf = [], $defs = {} } = schema;
  const children = [...Object.values(properties), ...anyOf, ...oneOf, ...allOf, ...Object.values($defs)];
  if (typeof items === 'object') children.push(items);
  return children.map(obstacleIn).find((obstacle) => obstacle !== undefined);
}

function isObject({ type }: Schema): boolean {
  return type === 'object' || (Array.isArray(type) && type.includes('object'));
}
