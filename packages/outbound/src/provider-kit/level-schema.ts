import type { JsonObject, JsonValue } from '@patchbay/contracts/json';
import type { Schema } from '@patchbay/contracts/json-schema';
import { schemaHolders } from '@patchbay/contracts/schema/schemas-within';

/** The part of JSON Schema that a vendor supports. */
export interface SchemaDialect {
  /** Keywords that are sent unchanged. */
  readonly keywords: ReadonlySet<keyof Schema>;
  /** Values of `format` that are sent. Default: every one. */
  readonly formats?: ReadonlySet<string>;
  /**
   * Objects must be closed. One that does not mention additional members is closed silently, since every completion
   * still fits it; one that allows them is closed with a warning.
   */
  readonly closedObjects?: boolean;
}

export interface LevelledSchema {
  readonly schema: JsonObject;
  /** One sentence for each keyword that the vendor does not enforce. */
  readonly warnings: readonly string[];
}

/**
 * Expresses a resolved schema, such as `responseSchema` of a request, in what a vendor supports. A keyword that
 * it does not support becomes a part of the description, where the model can read it, and a warning, because
 * only the model's good will still enforces it.
 *
 * @param subject What the schema is for, for the warnings: `the response schema`.
 *
 * @example
 * ```ts
 * import { levelSchema } from '@patchbay/core/provider';
 *
 * const { schema, warnings } = levelSchema(
 *   { type: 'integer', minimum: 1 },
 *   { keywords: new Set(['type', 'description']) },
 *   'the response schema',
 * );
 * // schema: { type: 'integer', description: 'minimum: 1' }
 * ```
 */
export function levelSchema(schema: Schema, dialect: SchemaDialect, subject: string): LevelledSchema {
  const warned = new Set<string>();
  const warn = (keyword: string) => warned.add(`${keyword} in ${subject} is only described to the model, not enforced`);
  return { schema: level(schema, dialect, warn), warnings: [...warned] };
}

/** Keywords whose values are schemas, in addition to those with a separate rule. */
const nested: ReadonlySet<string> = new Set([...schemaHolders.one, ...schemaHolders.list, ...schemaHolders.named]);

function level(given: Schema, dialect: SchemaDialect, warn: (keyword: string) => void): JsonObject {
  const schema = spelledFor(dialect, given);
  const taken: Record<string, JsonValue> = {};
  const told: string[] = schema.description === undefined ? [] : [schema.description];
  const describe = (keyword: string, value: unknown) => told.push(`${keyword}: ${JSON.stringify(value)}`);
  const inner = (child: Schema) => level(child, dialect, warn);
  const innerOrSame = (child: unknown) => (typeof child === 'object' ? inner(child as Schema) : (child as JsonValue));

  for (const [key, value] of Object.entries(schema)) {
    const keyword = key as keyof Schema;
    if (value === undefined || keyword === 'description') continue;
    if (keyword === 'additionalProperties') {
      Object.assign(taken, furtherMembers(schema, dialect, inner, describe, warn));
    } else if (keyword === 'const' && !dialect.keywords.has('const')) {
      taken['enum'] = [schema.const as JsonValue];
    } else if (!dialect.keywords.has(keyword) && keyword !== 'properties' && keyword !== 'items') {
      if (keyword === '$defs') continue;
      describe(keyword, value);
      // These two inform readers, and constrain no value.
      if (keyword !== 'title' && keyword !== 'default') warn(keyword);
    } else if (keyword === 'format' && !hasFormat(dialect, schema.format)) {
      describe(keyword, value);
      warn(keyword);
    } else if (!nested.has(keyword)) {
      taken[keyword] = value as JsonValue;
    } else if (Array.isArray(value)) {
      taken[keyword] = value.map(innerOrSame);
    } else if (isNamed(keyword)) {
      taken[keyword] = Object.fromEntries(Object.entries(value).map(([name, child]) => [name, innerOrSame(child)]));
    } else {
      taken[keyword] = innerOrSame(value);
    }
  }
  if (dialect.closedObjects && isObject(schema)) taken['additionalProperties'] = false;
  if (told.length > 0) taken['description'] = told.join('; ');
  return taken;
}

const isNamed = (keyword: string): boolean => (schemaHolders.named as readonly string[]).includes(keyword);

/** The same schema in keywords that the vendor supports, if they can express it. */
function spelledFor({ keywords }: SchemaDialect, schema: Schema): Schema {
  let { oneOf, allOf, ...rest }: Schema = schema;
  // A value that fits exactly one of them fits at least one; the gateway validates the rest.
  if (oneOf && !keywords.has('oneOf') && keywords.has('anyOf') && !rest.anyOf) {
    rest = { ...rest, anyOf: oneOf };
    oneOf = undefined;
  }
  if (allOf && !keywords.has('allOf') && [rest, ...allOf].every(isPlainObject)) {
    const parts = allOf.concat(rest);
    const properties = Object.assign({}, ...parts.map((part) => part.properties)) as Record<string, Schema>;
    const required = [...new Set(parts.flatMap((part) => part.required ?? []))];
    rest = { ...rest, type: 'object', properties, required };
    allOf = undefined;
  }
  return { ...rest, ...(oneOf && { oneOf }), ...(allOf && { allOf }) };
}

const plainKeywords: ReadonlySet<string> = new Set(
  'type properties required title description $defs unevaluatedProperties'.split(' '),
);

/** Whether a schema only says which members an object has. */
const isPlainObject = (schema: Schema): boolean => Object.keys(schema).every((keyword) => plainKeywords.has(keyword));

function furtherMembers(
  { additionalProperties }: Schema,
  dialect: SchemaDialect,
  inner: (child: Schema) => JsonObject,
  describe: (keyword: string, value: unknown) => void,
  warn: (keyword: string) => void,
): Record<string, JsonValue> {
  if (additionalProperties === false && dialect.closedObjects) return {};
  if (dialect.closedObjects || !dialect.keywords.has('additionalProperties')) {
    describe('additionalProperties', additionalProperties);
    warn('additionalProperties');
    return {};
  }
  const value = typeof additionalProperties === 'object' ? inner(additionalProperties) : additionalProperties;
  return { additionalProperties: value as JsonValue };
}

function isObject({ type, properties }: Schema): boolean {
  return properties !== undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
}

function hasFormat({ formats }: SchemaDialect, format: string | undefined): boolean {
  return formats === undefined || (format !== undefined && formats.has(format));
}
