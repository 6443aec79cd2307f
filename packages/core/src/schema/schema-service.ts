import { type ErrorDetail, PatchbayError } from '../contracts/errors.ts';
import type { Schema } from '../contracts/json-schema.ts';
import { createSchemaCache, type SchemaRole } from './schema-cache.ts';
import { schemaLimits } from './schema-limits.ts';
import { patternCost } from './schema-profile.ts';
import { SchemaThread } from './schema-threads.ts';
import { doSchemaWork, type PlacedSchema, type SchemaResult, type SchemaWork, schemaText } from './schema-work.ts';

/**
 * The work with schemas that came from callers. Small pieces are done at once; what could hold up the event loop is done
 * by a thread. The first argument is the tenant, whose large pieces wait for one another and for nobody else's.
 */
export interface SchemaService {
  /** The faults of schemas, all of one request, by the schema profile. */
  check(
    tenant: string,
    schemas: readonly { readonly schema: Schema; readonly pointer: string }[],
  ): Promise<readonly ErrorDetail[]>;
  /**
   * Make sure that both schemas of a function can be used, and that its defaults fit.
   *
   * @throws PatchbayError `schema_invalid` with every fault, up to 50.
   */
  checkFunction(tenant: string, schemas: { readonly input: Schema; readonly output: Schema }): Promise<void>;
  /**
   * Validate a document, which comes as JSON text.
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

/** Characters of schemas, and steps of their patterns, that are checked and compiled at once: some 10 ms. */
const atOnce = { schema: 4_096, patterns: 500 } as const;

/** Characters of a document that is validated at once, and the same times the characters of its schema. */
const documentAtOnce = { text: 16_384, product: 16_777_216, patternSteps: 200_000 } as const;

export function createSchemaService(): SchemaService {
  const compiled = createSchemaCache();
  const thread = new SchemaThread();

  const perform = async (tenant: string, work: SchemaWork, isSmall: boolean): Promise<SchemaResult> =>
    isSmall ? doSchemaWork(work, compiled) : await thread.run(tenant, work);

  return {
    async check(tenant, schemas) {
      const placed: PlacedSchema[] = [];
      let all = '';
      for (const { schema, pointer } of schemas) {
        const text = schemaText(schema);
        all += text;
        if (all.length > schemaLimits.requestBytes) {
          const detail = `has, together with the schemas before it, more than ${schemaLimits.requestBytes} bytes`;
          return [{ pointer, code: 'too_large', detail }];
        }
        placed.push({ text, pointer });
      }
      return (await perform(tenant, { kind: 'check', schemas: placed }, isSmall(all))).faults;
    },

    async checkFunction(tenant, { input, output }) {
      const work = { kind: 'function', input: schemaText(input), output: schemaText(output) } as const;
      const { faults, message = '' } = await perform(tenant, work, isSmall(work.input + work.output));
      if (faults.length > 0) throw new PatchbayError('schema_invalid', message, { errors: faults });
    },

    async validate(tenant, schema, document) {
      const work = { kind: 'validate', schema: schemaText(schema), ...document } as const;
      return await perform(tenant, work, isSmall(work.schema) && isQuick(work.schema, document.text));
    },

    close: () => thread.close(),
  };
}

/** Whether schemas, as one text, can be checked and compiled at once. */
function isSmall(schemas: string): boolean {
  return schemas.length <= atOnce.schema && patternSteps(schemas) <= atOnce.patterns;
}

/** Whether a document can be validated at once against a small schema. */
function isQuick(schema: string, document: string): boolean {
  const { length } = document;
  return (
    length <= documentAtOnce.text &&
    length * schema.length <= documentAtOnce.product &&
    length * patternSteps(schema) <= documentAtOnce.patternSteps
  );
}

const patterns = /"pattern":("(?:[^"\\]|\\.)*")/g;

/** At least as many steps as all patterns within the text of schemas have. */
function patternSteps(schemas: string): number {
  let steps = 0;
  for (const [, pattern = '""'] of schemas.matchAll(patterns)) steps += patternCost(JSON.parse(pattern) as string);
  return steps;
}
