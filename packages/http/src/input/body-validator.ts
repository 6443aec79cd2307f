import { didYouMean, PatchbayError } from '@patchbay/core';
import { type ErrorObject, type ValidateFunction, Ajv2020 as Validator } from 'ajv/dist/2020.js';
import type { BodyRule } from '../operation.ts';
import { componentSchemas, type SchemaName } from '../schemas/components.ts';
import type { SchemaObject } from '../schemas/schema-object.ts';
import type { ErrorDetail, JsonDocument } from '../service-types.ts';
import { pointerTo } from './body.ts';

/** @throws PatchbayError `invalid_request` with all faults of the body. */
export type BodyValidator = (document: JsonDocument) => void;

const MAX_FAULTS = 50;

// Distances to a long text take long, and nobody meant it.
const MAX_HINTED = 100;

// Up to this many values all faults are reported, beyond that the first one: a list of 100,000 wrong values must not
// become 100,000 faults.
const EXPLAINED_VALUES = 5_000;

/**
 * Makes the validators of the rows. A schema is compiled when the first body asks for it, because compiling all of them
 * takes longer than the rest of the start, and most processes, above all those of tests, need few.
 */
export function createBodyValidators(): (rule: BodyRule<unknown>) => BodyValidator {
  const first = once(() => createAjv(false));
  const all = once(() => createAjv(true));
  return ({ schema: name, ignored = [] }) => {
    const checkOf = once(() => first().compile(withIgnored(name, ignored)));
    const explainOf = once(() => all().compile(withIgnored(name, ignored)));
    return ({ value, values }) => {
      const check = checkOf();
      if (check(value)) return;
      throw new PatchbayError('invalid_request', 'the body does not have the documented shape', {
        errors: faults(values <= EXPLAINED_VALUES ? explainOf() : check, value)
          .slice(0, MAX_FAULTS)
          .map(describe),
      });
    };
  };
}

function faults(validate: ValidateFunction, value: unknown): readonly ErrorObject[] {
  validate(value);
  // That a condition led to a fault says nothing beside the fault.
  return (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if');
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function createAjv(allErrors: boolean): Validator {
  // Without `ownProperties`, `required: ["toString"]` would hold for every object.
  const ajv = new Validator({
    allErrors,
    ownProperties: true,
    verbose: true,
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    // The schemas are our own, and a test holds them to the meta-schema, whose compilation is the dearest part by far.
    validateSchema: false,
    // Nearly half of a compilation, for a function that only wrong bodies need.
    code: { optimize: !allErrors },
  });
  // What a caller may write into a schema is the business of the function service, which answers `schema_invalid`.
  for (const [name, schema] of Object.entries({ ...componentSchemas, Schema: { type: 'object' } })) {
    ajv.addSchema(withOwnReferences(schema), `patchbay:${name}`);
  }
  return ajv;
}

function withIgnored(name: SchemaName, ignored: readonly string[]): object {
  const schema: SchemaObject = componentSchemas[name];
  const accepted = Object.fromEntries(ignored.map((field) => [field, {}]));
  return withOwnReferences({ ...schema, properties: { ...schema.properties, ...accepted } });
}

function withOwnReferences(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"patchbay:'));
}

function describe(error: ErrorObject): ErrorDetail {
  const { keyword, params, instancePath, parentSchema, data } = error;
  if (keyword === 'required') {
    return { pointer: pointerTo(instancePath, params['missingProperty']), code: keyword, detail: 'is required' };
  }
  if (keyword === 'additionalProperties') {
    const given = String(params['additionalProperty']);
    const hint = didYouMean(given, Object.keys(parentSchema?.['properties'] ?? {}));
    return { pointer: pointerTo(instancePath, given), code: 'unknown_field', detail: `is not a field here${hint}` };
  }
  if (keyword === 'enum') {
    const allowed: readonly unknown[] = params['allowedValues'];
    const listed = allowed.map((one) => JSON.stringify(one)).join(', ');
    const hint = typeof data === 'string' && data.length <= MAX_HINTED ? didYouMean(data, allowed.map(String)) : '';
    return { pointer: instancePath, code: keyword, detail: `must be one of ${listed}${hint}` };
  }
  // The message of a pattern is its source; what it means stands beside it.
  const meaning = keyword === 'pattern' ? parentSchema?.['$comment'] : undefined;
  return { pointer: instancePath, code: keyword, detail: meaning ?? error.message ?? 'is not valid' };
}
