import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Schema } from '../contracts/json-schema.ts';
import { type CompiledSchema, compileSchema } from './compile-schema.ts';

/** What a schema is used for: defaults are filled into input, never into output. */
export type SchemaRole = 'input' | 'output';

/** Compiled schemas, by content. */
export interface SchemaCache {
  /** @param schema The JSON text of a schema that passed `checkSchemas`. */
  get(schema: string, role: SchemaRole): CompiledSchema;
}

// Measured. A compiled schema has 6 KiB where it is small, and some MiB where it has hundreds of patterns: counted by
// the piece, the schemas of one caller could fill the memory.
const BYTES_PER_CHARACTER = 100;
const BYTES_PER_PATTERN = 16_384;

/** @param maxBytes Memory that compiled schemas may take, about. Those that were used last are kept. */
export function createSchemaCache(maxBytes = 134_217_728): SchemaCache {
  const compiled = new LRUCache<string, CompiledSchema>({ maxSize: maxBytes });
  return {
    get(schema, role) {
      const key = role + createHash('sha256').update(schema).digest('base64');
      let found = compiled.get(key);
      if (!found) {
        found = compileSchema(JSON.parse(schema) as Schema, { fillDefaults: role === 'input' });
        compiled.set(key, found, { size: compiledBytes(schema) });
      }
      return found;
    },
  };
}

function compiledBytes(schema: string): number {
  const patterns = schema.split('"pattern":').length - 1;
  return schema.length * BYTES_PER_CHARACTER + patterns * BYTES_PER_PATTERN;
}
