import type { Schema } from '@patchbay/core/plugin';
import { type LevelledSchema, levelSchema, providerError, type SchemaDialect } from '@patchbay/core/provider';

/**
 * Keywords of structured outputs, from platform.claude.com/docs/en/build-with-claude/structured-outputs, read 2026-11-23 in a
 * copy of 2026-08-21. Of those that it takes with limits, `allOf` is missing because closed objects would contradict each
 * other, and `pattern` because only simple ones are taken.
 */
const dialect: SchemaDialect = {
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
    'format',
  ]),
  formats: new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid']),
  closedObjects: true,
};

/**
 * @param provider Name of the provider, for messages.
 * @throws PatchbayError `unsupported_parameter` for an object with arbitrary members: closed, it could only be empty.
 */
export function outputSchema(provider: string, schema: Schema): LevelledSchema {
  if (hasFreeObject(schema)) {
    throw providerError('unsupported', `${provider} takes no response schema with objects that declare no members`);
  }
  return levelSchema(schema, dialect, 'the response schema');
}

function hasFreeObject(schema: Schema): boolean {
  const { type, properties, additionalProperties } = schema;
  const isObject = type === 'object' || (Array.isArray(type) && type.includes('object'));
  if (isObject && !properties && additionalProperties !== false) return true;
  const { items, anyOf = [], oneOf = [], allOf = [], $defs = {} } = schema;
  const children = [...Object.values(properties ?? {}), ...anyOf, ...oneOf, ...allOf, ...Object.values($defs)];
  if (typeof items === 'object') children.push(items);
  return children.some(hasFreeObject);
}
