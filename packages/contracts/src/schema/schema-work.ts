import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { memberPointer, shownPointer } from '../base/json-pointer.ts';
import type { ErrorDetail } from '../errors.ts';
import type { JsonValue } from '../json.ts';
import type { Schema } from '../json-schema.ts';
import { type CompiledSchema, compileSchema } from './compile-schema.ts';
import { checkSchemas } from './schema-profile.ts';

/** The use of a schema: defaults are filled into input, never into output. */
export type SchemaRole = 'input' | 'output';

/** Characters up to which a schema is its own key: hashing it costs more than comparing it. */
const SHORT_SCHEMA = 1_024;

/**
 * Compiled schemas, by content. If the number of schemas were limited instead, those of one caller could fill the
 * memory.
 */
export class SchemaCache {
  readonly #compiled: LRUCache<string, CompiledSchema>;

  /** @param maxBytes Approximate memory for compiled schemas. The least recently used are evicted. */
  constructor(maxBytes = 134_217_728) {
    this.#compiled = new LRUCache({ maxSize: maxBytes });
  }

  /** @param schema The JSON text of a schema that passed `checkSchemas`. */
  get(schema: string, role: SchemaRole): CompiledSchema {
    const key = role + (schema.length <= SHORT_SCHEMA ? schema : hash('sha256', schema, 'base64'));
    const known = this.#compiled.get(key);
    if (known) return known;
    const compiled = compileSchema(JSON.parse(schema) as Schema, { fillDefaults: role === 'input' });
    this.#compiled.set(key, compiled, { size: compiled.bytes });
    return compiled;
  }
}

// Work with schemas and documents, for this thread or another: a request and its result are plain data. Schemas and
// documents are sent as text, which costs the sending thread almost nothing.

/** A schema that a caller sent, and where it is in the body. */
export interface PlacedSchema {
  readonly text: string;
  readonly pointer: string;
}

export type SchemaWork =
  /** Check that schemas, all of one request, stay within the profile. */
  | { readonly kind: 'check'; readonly schemas: readonly PlacedSchema[] }
  /** Check both schemas of a function, compile them, and check the defaults. */
  | { readonly kind: 'function'; readonly input: string; readonly output: string }
  /** Validate a document. Defaults are filled into an input. */
  | {
      readonly kind: 'validate';
      readonly schema: string;
      readonly role: SchemaRole;
      readonly text: string;
      readonly pointer: string;
    };

export interface SchemaResult {
  readonly faults: readonly ErrorDetail[];
  /** The fault of a function, as a sentence. */
  readonly message?: string;
  /** The text of a valid document, if defaults were filled in. */
  readonly changed?: string;
}

const MAX_FAULTS = 50;

/** Characters of JSON. Twice a body, because a few bytes of input can require very many bytes of defaults. */
const MAX_INPUT_LENGTH = 2_097_152;

/** Do a piece of work, in whatever thread this runs. */
export function doSchemaWork(work: SchemaWork, compiled: SchemaCache): SchemaResult {
  switch (work.kind) {
    case 'check':
      return { faults: shown(checkSchemas(work.schemas)) };
    case 'function':
      return checkFunction(work, compiled);
    case 'validate':
      return validate(work, compiled);
  }
}

function checkFunction(
  { input, output }: { readonly input: string; readonly output: string },
  compiled: SchemaCache,
): SchemaResult {
  const texts = { input, output };
  const profile = (['input', 'output'] as const).flatMap((role) =>
    checkSchemas([{ text: texts[role], pointer: `/${role}` }]),
  );
  if (profile.length > 0) return { faults: shown(profile), message: 'a schema of the function is not accepted' };
  for (const role of ['input', 'output'] as const) {
    try {
      compiled.get(texts[role], role);
    } catch {
      const fault = { pointer: `/${role}`, code: 'not_compilable', detail: 'cannot be compiled' };
      return { faults: [fault], message: `the ${role} schema of the function is not accepted` };
    }
  }
  return { faults: defaultFaults(input, compiled), message: 'a default does not fit its own schema' };
}

/**
 * Faults of the defaults of the input's properties: a caller could not fix what it never sent. Validating an empty
 * object fills in all of them, and whatever is wrong with a member is then wrong with its default.
 */
function defaultFaults(schema: string, compiled: SchemaCache): readonly ErrorDetail[] {
  const filled = {};
  const faults = compiled.get(schema, 'input').validate(filled, '');
  return Object.keys(filled).flatMap((name) => {
    const place = memberPointer('', name);
    const fault = faults.find(({ pointer }) => pointer === place || pointer.startsWith(`${place}/`));
    if (!fault) return [];
    const pointer = shownPointer(`/input${memberPointer('/properties', name)}/default`);
    return [{ pointer, code: 'default_invalid', detail: `does not fit its own schema: ${fault.detail}` }];
  });
}

function validate(
  { schema, role, text, pointer }: SchemaWork & { readonly kind: 'validate' },
  compiled: SchemaCache,
): SchemaResult {
  const document = JSON.parse(text) as JsonValue;
  const before = role === 'input' && schema.includes('"default"') ? JSON.stringify(document) : undefined;
  const faults = compiled.get(schema, role).validate(document, pointer);
  if (faults.length > 0 || before === undefined) return { faults };
  if (isLongerThan(document, MAX_INPUT_LENGTH)) {
    const detail = `has more than ${MAX_INPUT_LENGTH} characters once the defaults of the schema are filled in`;
    return { faults: [{ pointer, code: 'too_large', detail }] };
  }
  const changed = JSON.stringify(document);
  return changed === before ? { faults } : { faults, changed };
}

function shown(faults: readonly ErrorDetail[]): readonly ErrorDetail[] {
  return faults.slice(0, MAX_FAULTS).map((fault) => ({ ...fault, pointer: shownPointer(fault.pointer) }));
}

/** Whether the JSON text of a value has more than `limit` characters, or nearly so, determined without creating it. */
function isLongerThan(root: unknown, limit: number): boolean {
  let length = 0;
  const waiting = [root];
  while (waiting.length > 0 && length <= limit) {
    const value = waiting.pop();
    length += typeof value === 'string' ? value.length + 3 : 2;
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) for (const child of value) waiting.push(child);
    else {
      for (const [name, child] of Object.entries(value)) {
        length += name.length + 3;
        waiting.push(child);
      }
    }
  }
  return length > limit;
}
