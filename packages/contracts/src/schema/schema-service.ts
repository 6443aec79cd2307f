import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { memberPointer, shownPointer } from '../base/json-pointer.ts';
import { type ErrorDetail, PatchbayError } from '../errors.ts';
import type { JsonValue } from '../json.ts';
import type { Schema } from '../json-schema.ts';
import { type CompiledSchema, compileSchema } from './compile-schema.ts';
import { resolveSchema } from './resolve-schema.ts';
import { schemaLimits } from './schema-limits.ts';
import { checkSchemas, patternCost } from './schema-profile.ts';
import { ThreadedWork } from './threaded-work.ts';

/**
 * Work with schemas of callers. Small tasks run immediately; those that could block the event loop run
 * in a thread. The first argument is the tenant, whose large tasks wait only for one another.
 */
export interface SchemaService {
  /** The faults of the schemas of one request, according to the schema profile. */
  check(
    tenant: string,
    schemas: readonly { readonly schema: Schema; readonly pointer: string }[],
  ): Promise<readonly ErrorDetail[]>;
  /**
   * Validate both schemas of a function, and its defaults.
   *
   * @throws PatchbayError `schema_invalid` with every fault, up to 50.
   */
  checkFunction(tenant: string, schemas: { readonly input: Schema; readonly output: Schema }): Promise<void>;
  /**
   * Validate a document that is given as JSON text.
   *
   * @param document.pointer Where it is in the body, such as `/input`.
   */
  validate(
    tenant: string,
    schema: Schema,
    document: { readonly text: string; readonly role: SchemaRole; readonly pointer: string },
  ): Promise<SchemaResult>;
  /** End the thread. */
  close(): Promise<void>;
}

/** Characters of schemas, and steps of their patterns, that are checked and compiled synchronously: about 10 ms. */
const atOnce = { schema: 4_096, patterns: 500 } as const;

/** Characters of accepted schemas, which need not be checked when they come again. */
const MOST_ACCEPTED = 4_194_304;

/** Characters of a document that is validated synchronously, and their product with the characters of its schema. */
const documentAtOnce = { text: 16_384, product: 8_388_608, patternSteps: 200_000 } as const;

export function createSchemaService(): SchemaService {
  const compiled = new SchemaCache();
  const thread = new ThreadedWork();
  const weigh = createWeigh();
  /** The schemas of one request each: an agent sends the same tools with every turn. */
  const accepted = new LRUCache<string, true>({ maxSize: MOST_ACCEPTED });

  const perform = async (tenant: string, work: SchemaWork, isSmall: boolean): Promise<SchemaResult> =>
    isSmall ? doSchemaWork(work, compiled) : await thread.run(tenant, work);

  return {
    async check(tenant, schemas) {
      const placed: PlacedSchema[] = [];
      let length = 0;
      for (const { schema, pointer } of schemas) {
        const text = JSON.stringify(schema);
        length += text.length;
        if (length > schemaLimits.requestBytes) {
          const detail = `has, together with the schemas before it, more than ${schemaLimits.requestBytes} bytes`;
          return [{ pointer, code: 'too_large', detail }];
        }
        placed.push({ text, pointer });
      }
      const texts = placed.map(({ text }) => text);
      const together = texts.join('\0');
      if (accepted.get(together)) return [];
      const { faults } = await perform(tenant, { kind: 'check', schemas: placed }, isSmall(texts, weigh));
      if (faults.length === 0) accepted.set(together, true, { size: together.length + 1 });
      return faults;
    },

    async checkFunction(tenant, { input, output }) {
      const work = { kind: 'function', input: JSON.stringify(input), output: JSON.stringify(output) } as const;
      const { faults, message = '' } = await perform(tenant, work, isSmall([work.input, work.output], weigh));
      if (faults.length > 0) throw new PatchbayError('schema_invalid', message, { errors: faults });
    },

    async validate(tenant, schema, document) {
      const work = { kind: 'validate', schema: JSON.stringify(schema), ...document } as const;
      return await perform(tenant, work, isSmall([work.schema], weigh) && isQuick(weigh(work.schema), document.text));
    },

    close: () => thread.close(),
  };
}

/** Whether schemas can be checked and compiled synchronously. */
function isSmall(texts: readonly string[], weigh: Weigh): boolean {
  let [characters, steps] = [0, 0];
  for (const text of texts) {
    if (text.length > atOnce.schema) return false;
    const weight = weigh(text);
    characters += weight.characters;
    steps += weight.patternSteps;
    if (characters > atOnce.schema || steps > atOnce.patterns) return false;
  }
  return true;
}

/** Whether a document can be validated synchronously against a small schema. */
function isQuick({ characters, patternSteps }: Weight, document: string): boolean {
  const { length } = document;
  return (
    length <= documentAtOnce.text &&
    length * characters <= documentAtOnce.product &&
    length * patternSteps <= documentAtOnce.patternSteps
  );
}

/** The size of a schema once its references are resolved: a few hundred characters can refer to one part many times. */
interface Weight {
  readonly characters: number;
  readonly patternSteps: number;
}

type Weigh = (text: string) => Weight;

function createWeigh(): Weigh {
  const known = new LRUCache<string, Weight>({ max: 1_000 });
  return (text) => {
    if (!text.includes('"$ref"') && !text.includes('"patternProperties"')) {
      return { characters: text.length, patternSteps: patternSteps(text) };
    }
    const weight = known.get(text) ?? weightOf(text);
    known.set(text, weight);
    return weight;
  };
}

function weightOf(text: string): Weight {
  const schema = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const sound = soundSchema(schema);
  if (!sound) return { characters: Number.POSITIVE_INFINITY, patternSteps: 0 };
  const resolved = JSON.stringify(sound);
  return { characters: resolved.length, patternSteps: patternSteps(resolved) + nameSteps(resolved) };
}

/** The resolved schema; undefined for one that will be rejected. */
function soundSchema(schema: Readonly<Record<string, unknown>>): Schema | undefined {
  try {
    const { schema: resolved, faults } = resolveSchema(schema, '');
    return faults.length === 0 ? resolved : undefined;
  } catch {
    // Its keywords are not checked yet, and may have values of any type.
    return undefined;
  }
}

/** Steps of the patterns of names, which are among other names: every name is taken for one. */
function nameSteps(text: string): number {
  if (!text.includes('"patternProperties"')) return 0;
  let steps = 0;
  for (const [, name = '""'] of text.matchAll(names)) steps += patternCost(JSON.parse(name) as string);
  return steps;
}

const patterns = /"pattern":("(?:[^"\\]|\\.)*")/g;
const names = /("(?:[^"\\]|\\.)*"):/g;

/** At least as many steps as all patterns within the text of schemas have. */
function patternSteps(schemas: string): number {
  if (!schemas.includes('"pattern":')) return 0;
  let steps = 0;
  for (const [, pattern = '""'] of schemas.matchAll(patterns)) steps += patternCost(JSON.parse(pattern) as string);
  return steps;
}

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
