import {
  _,
  type CodeKeywordDefinition,
  type ErrorObject,
  type FuncKeywordDefinition,
  type Options,
  str,
  type ValidateFunction,
} from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { RE2JS } from 're2js';
import { memberPointer, shownPointer } from '../base/json-pointer.ts';
import type { ErrorDetail } from '../errors.ts';
import type { Schema } from '../json-schema.ts';
import { CheckingCost } from './checking-cost.ts';
import { discriminate } from './discriminated-alternatives.ts';
import { resolvedSchema } from './resolve-schema.ts';
import { schemaFormats } from './schema-keywords.ts';
import { schemaLimits } from './schema-limits.ts';

/** Checks values against one schema. */
export interface CompiledSchema {
  /**
   * The faults of `value`, or none. Fills in defaults, in place, if the schema was compiled for that.
   *
   * @param pointer Where the value is in the body, such as `/input`.
   */
  validate(value: unknown, pointer: string): readonly ErrorDetail[];
  /** Approximate bytes of memory. */
  readonly bytes: number;
}

// Measured: a small compiled schema takes 6 KiB, and one with hundreds of patterns several MiB.
const BYTES_PER_CHARACTER = 100;
const BYTES_PER_PATTERN = 16_384;

const MAX_FAULTS = 50;

// Nothing else runs during a validation; this many steps take about 50 ms.
const STEPS_PER_VALIDATION = 1_000_000;

// Up to this many steps all faults are reported; beyond, the first: a list of 100,000 wrong values must not become
// 100,000 errors.
const EXPLAINED_STEPS = 20_000;

// And up to this many characters of schema: to report all faults, it is compiled once more.
const EXPLAINED_SCHEMA = 16_384;

/**
 * Compile a schema that passed `checkSchema`. Every schema gets a new compiler: a shared one keeps all it ever
 * compiled, and lets the schemas of one tenant see those of another.
 */
export function compileSchema(source: Schema, options: { readonly fillDefaults: boolean }): CompiledSchema {
  const engine = new PatternEngine();
  const schema = discriminate(resolvedSchema(source));
  const check = compile(schema, engine, { useDefaults: options.fillDefaults });
  const cost = new CheckingCost(schema);
  const { length } = JSON.stringify(schema);
  const explained = length <= EXPLAINED_SCHEMA;
  let explain: ValidateFunction | undefined;
  return {
    bytes: length * BYTES_PER_CHARACTER + engine.patterns * BYTES_PER_PATTERN,
    validate(value, pointer) {
      const steps = cost.of(value);
      if (steps === 'too deep') {
        const detail = `is nested more than ${schemaLimits.recursion} levels deep, where the schema refers to itself`;
        return [{ pointer, code: 'too_deep', detail }];
      }
      if (steps > STEPS_PER_VALIDATION) {
        return [{ pointer, code: 'too_costly', detail: 'has too many values to be checked against this schema' }];
      }
      engine.reset();
      try {
        // A pattern that was not matched because of its cost may be one that must not match.
        if (check(value) && !engine.exhausted) return [];
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
  const ajv = new Ajv2020({ ...compilerOptions(engine), ...options });
  ajv.removeKeyword('multipleOf').addKeyword(decimalMultipleOf);
  ajv.removeKeyword('uniqueItems').addKeyword(linearUniqueItems);
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
    // 1e999 is valid JSON text, but not a number that can be written as JSON again.
    strictNumbers: true,
    logger: false,
    discriminator: true,
    // Otherwise `required: ["toString"]` holds for every object.
    ownProperties: true,
    code: { optimize: false, regExp },
  };
}

const SHOWN_CHARACTERS = 200;

/** As many of them as fit, none cut, and how many more there are. */
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

/** A fault as callers see it. */
export function describeFault(error: ErrorObject, pointer: string): ErrorDetail {
  const { keyword, params, instancePath } = error;
  const place = pointer + instancePath;
  const at = (name: string): string => shownPointer(memberPointer(place, name));
  if (keyword === 'required') return { pointer: at(params['missingProperty']), code: keyword, detail: 'is required' };
  if (keyword === 'additionalProperties') {
    return { pointer: at(params['additionalProperty']), code: keyword, detail: 'is not a property of the schema' };
  }
  if (keyword === 'discriminator') {
    return { pointer: at(params['tag']), code: keyword, detail: 'must name one of the alternatives of the schema' };
  }
  if (keyword === 'enum') {
    const detail = `must be one of ${listed(params['allowedValues'])}`;
    return { pointer: shownPointer(place), code: keyword, detail };
  }
  return { pointer: shownPointer(place), code: keyword, detail: error.message ?? 'is not valid' };
}

/** The sum of the roundings of both numbers and of their quotient, relative to the quotient. */
const ROUNDING = 2 * Number.EPSILON;

/**
 * `multipleOf` as it is meant for decimals: 19.99 is a multiple of 0.01, although the quotient of the two doubles is
 * 1998.9999999999998. The compiler's own keyword takes the quotient at its word, or has one tolerance for all sizes.
 */
const decimalMultipleOf: CodeKeywordDefinition = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  error: {
    message: ({ schemaCode }) => str`must be a multiple of ${schemaCode}`,
    params: ({ schemaCode }) => _`{multipleOf: ${schemaCode}}`,
  },
  code(context) {
    const { gen, data, schemaCode } = context;
    const quotient = gen.const('quotient', _`${data} / ${schemaCode}`);
    context.fail(_`Math.abs(Math.round(${quotient}) - ${quotient}) > Math.abs(${quotient}) * ${ROUNDING}`);
  },
};

/** `uniqueItems` in time linear in the list: the compiler's own keyword compares each item with every other. */
const linearUniqueItems: FuncKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  error: { message: 'must not have two equal items' },
  compile: (isAsked: boolean) => (items: readonly unknown[]) =>
    !isAsked || new Set(items.map(sortedText)).size === items.length,
};

/** The JSON text of a value, the same for equal values. */
function sortedText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(sortedText).join(',')}]`;
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${sortedText(each)}`).join(',')}}`;
}

// About 50 ms at the 20 to 80 ns that one step takes.
const PATTERN_STEPS_PER_VALIDATION = 1_000_000;

/**
 * Matches patterns in linear time, and stops when one validation has used its budget of steps:
 * linear times a large pattern times a large document would still hold the event loop for seconds.
 */
class PatternEngine {
  readonly #known = new Map<string, RE2JS>();
  #left = PATTERN_STEPS_PER_VALIDATION;

  compile(pattern: string): { test(value: string): boolean; toString(): string } {
    // The same schema is compiled twice, and often has the same pattern in several places.
    const compiled = this.#known.get(pattern) ?? RE2JS.compile(pattern);
    this.#known.set(pattern, compiled);
    const stepsPerCharacter = compiled.programSize();
    return {
      test: (value) => {
        this.#left -= stepsPerCharacter * value.length;
        return this.#left >= 0 && compiled.matcher(value).find();
      },
      // The compiler tells patterns apart by this text.
      toString: () => pattern,
    };
  }

  /** How many different patterns it has compiled. */
  get patterns(): number {
    return this.#known.size;
  }

  /** Start a validation. */
  reset(): void {
    this.#left = PATTERN_STEPS_PER_VALIDATION;
  }

  /** Whether a match was refused because of its cost since the last `reset`. */
  get exhausted(): boolean {
    return this.#left < 0;
  }
}
