import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Schema } from '../contracts/json-schema.ts';
import { type CompiledSchema, compileSchema } from './compile-schema.ts';

/** What a schema is used for: defaults are filled into input, never into output. */
export type SchemaRole = 'input' | 'output';

/** Compiled schemas, by content. */
export interface SchemaCache {
  get(schema: Schema, role: SchemaRole): CompiledSchema;
}

/** @param size How many compiled schemas are kept, at about 3 KiB each. */
export function createSchemaCache(size = 2_000): SchemaCache {
  const compiled = new LRUCache<string, CompiledSchema>({ max: size });
  return {
    get(schema, role) {
      const key = role + createHash('sha256').update(JSON.stringify(schema)).digest('base64');
      let found = compiled.get(key);
      if (!found) {
        found = compileSchema(schema, { fillDefaults: role === 'input' });
        compiled.set(key, found);
      }
      return found;
    },
  };
}
