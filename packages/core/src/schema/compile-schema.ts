import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { memberPointer, shownPointer } from '../base/json-pointer.ts';
import type { ErrorDetail } from '../contracts/errors.ts';
import type { Schema } from '../contracts/json-schema.ts';
import { decimalMultipleOf } from './multiple-of.ts';
import { createPatternEngine, type PatternEngine } from './pattern-engine.ts';
import { stepsByLevel, stepsOf } from './schema-cost.ts';
import { schemaFormats } from './schema-limits.ts';

/** Checks values against one schema. */
export interface CompiledSchema {
  /**
   * The faults of `value`, or none. Fills in defaults, in place, where the schema was compiled for that.
   *
   * @param pointer Where the value is in the body, such as `/input`.
   */
  validate(value: unknown, pointer: string): readonly ErrorDetail[];
}

const MAX_FAULTS = 50;

// Nothing else runs during a validation; this many steps take some 50 ms.
const STEPS_PER_VALIDATION = 1_000_000;

// Up to this many steps all faults are reported; beyond, the first: a list of 100,000 wrong values must not become
// 100,000 errors.
const EXPLAINED_STEPS = 20_000;

// And up to this many characters of schema: to report all, it is compiled once more.
const EXPLAINED_SCHEMA = 16_384;

/**
 * Compile a schema that passed `checkSchema`. Every schema gets a compiler of its own: a shared one keeps all it ever
 * compiled, and lets the schemas of one tenant see those of another.
 */
export function compileSchema(schema: Schema, options: { readonly fillDefaults: boolean }): CompiledSchema {
  const engine = createPatternEngine();
  const check = compile(schema, engine, { useDefaults: options.fillDefaults });
  const levels = stepsByLevel(schema);
  const explained = JSON.stringify(schema).length <= EXPLAINED_SCHEMA;
  let explain: ValidateFunction | undefined;
  return {
    validate(value, pointer) {
      const steps = stepsOf(value, levels);
      if (steps > STEPS_PER_VALIDATION) {
        return [{ pointer, code: 'too_costly', detail: 'has too many values to be checked against this schema' }];
      }
      engine.reset();
      try {
        if (check(value)) return [];
      } catch {
        // To compare objects, the compiler calls their `toString` and `valueOf`, which a document may have as members.
        const detail = 'has a member toString or valueOf where the schema has an object as const or enum';
        return [{ pointer, code: 'not_comparable', detail }];
      }
      if (engine.exhausted) {
        return [{ pointer, code: 'pattern', detail: 'is too long to be matched against the patterns of the schema' }];
      }
      let { errors } = check;
      if (explained && steps <= EXPLAINED_STEPS) {
        explain ??= compile(schema, engine, { allErrors: true });
        engine.reset();
        explain(value);
        errors = explain.errors ?? errors;
      }
      return (errors ?? []).slice(0, MAX_FAULTS).map((error) => describeFault(error, pointer));
    },
  };
}

function compile(schema: Schema, engine: PatternEngine, options: Options): ValidateFunction {
  const ajv = new Ajv({ ...compilerOptions(engine), ...options });
  ajv.removeKeyword('multipleOf').addKeyword(decimalMultipleOf);
  for (const name of schemaFormats) ajv.addFormat(name, fullFormats[name as keyof typeof fullFormats]);
  return ajv.compile(schema);
}

function compilerOptions(engine: PatternEngine): Options {
  const regExp = Object.assign((pattern: string) => engine.compile(pattern) as unknown as RegExp, {
    code: 'patternEngine',
  });
  return {
    // The profile was checked before; the compiler's own checks cost more than the compilation.
    meta: false,
    validateSchema: false,
    strict: false,
    // 1e999 is valid JSON text and no number that JSON can carry on.
    strictNumbers: true,
    logger: false,
    // Otherwise `required: ["toString"]` holds for every object.
    ownProperties: true,
    code: { optimize: false, regExp },
  };
}

const SHOWN_CHARACTERS = 200;

/** As many of them as fit, each whole, and how many more there are. */
function listed(allowed: readonly unknown[]): string {
  let text = '';
  for (const [index, value] of allowed.entries()) {
    const next = `${text}${index === 0 ? '' : ', '}${JSON.stringify(value)}`;
    if (next.length > SHOWN_CHARACTERS) {
      return text === '' ? `${allowed.length} values` : `${text}, and ${allowed.length - index} more`;
    }
    text = next;
  }
  return text;
}

/** What is wrong, as callers get to read it. */
export function describeFault(error: ErrorObject, pointer: string): ErrorDetail {
  const { keyword, params, instancePath } = error;
  const place = pointer + instancePath;
  const at = (name: string): string => shownPointer(memberPointer(place, name));
  if (keyword === 'required') return { pointer: at(params['missingProperty']), code: keyword, detail: 'is required' };
  if (keyword === 'additionalProperties') {
    return { pointer: at(params['additionalProperty']), code: keyword, detail: 'is not a property of the schema' };
  }
  if (keyword === 'enum') {
    const detail = `must be one of ${listed(params['allowedValues'])}`;
    return { pointer: shownPointer(place), code: keyword, detail };
  }
  return { pointer: shownPointer(place), code: keyword, detail: error.message ?? 'is not valid' };
}
