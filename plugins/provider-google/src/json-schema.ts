import type { Schema } from '@patchbay/core/plugin';
import { type LevelledSchema, levelSchema, type SchemaDialect } from '@patchbay/core/provider';

/** What the API takes. ai.google.dev/gemini-api/docs/structured-output, 2026-11. */
const dialect: SchemaDialect = {
  keywords: new Set([
    'type',
    'properties',
    'required',
    'items',
    'enum',
    'description',
    'title',
    'anyOf',
    'format',
    'minimum',
    'maximum',
    'minItems',
    'maxItems',
    'additionalProperties',
  ]),
  formats: new Set(['date-time', 'date', 'time']),
};

/** @param subject What the schema is for, for the warnings. */
export function jsonSchema(schema: Schema, subject: string): LevelledSchema {
  return levelSchema(schema, dialect, subject);
}
