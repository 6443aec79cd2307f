import { _, Ajv, type CodeKeywordDefinition, type ErrorObject, type Options, str, type ValidateFunction } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { RE2JS } from 're2js';
import { jsonLimits } from '../base/check-json.ts';
import { memberPointer, shownPointer } from '../base/json-pointer.ts';
import type { ErrorDetail } from '../contracts/errors.ts';
import type { Schema } from '../contracts/json-schema.ts';
import { schemaFormats } from './schema-keywords.ts';

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
 * Compile a schema that passed `checkSchema`. Every schema gets a new compiler: a shared one keeps all it ever
 * compiled, and lets the schemas of one tenant see those of another.
 */
export function compileSchema(schema: Schema, options: { readonly fillDefaults: boolean }): CompiledSchema {
  const engine = new PatternEngine();
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

/** A fault as callers get to read it. */
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

/** The sum of the roundings of both numbers and of their quotient, relative to the quotient. */
const ROUNDING = 2 * Number.EPSILON;

/**
 * `multipleOf` as it is meant of decimals: 19.99 is a multiple of 0.01, although the quotient of the two doubles is
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

  /** Start a validation. */
  reset(): void {
    this.#left = PATTERN_STEPS_PER_VALIDATION;
  }

  /** Whether a match was refused for its cost since the last `reset`. */
  get exhausted(): boolean {
    return this.#left < 0;
  }
}

// Measured. The unit, a step, is what a failed alternative costs: some 50 ns.
const costs = { value: 1, alternative: 1, property: 0.1, default: 4, scalar: 0.2, container: 1, inContainer: 0.1 };

/**
 * Upper bound of the steps to validate one value, by its depth in the document.
 *
 * `anyOf` within `anyOf`, long lists in `enum` and many defaults multiply with the values of a document: 64 KiB of
 * schema and 1 MiB of document could hold the event loop for seconds.
 */
function stepsByLevel(schema: Schema): readonly number[] {
  const { properties = {}, required = [], items, additionalProperties, anyOf = [] } = schema;
  const members = Object.values(properties);
  const listed = [...(schema.enum ?? []), ...('const' in schema ? [schema.const] : [])];
  const containers = listed.filter((value) => typeof value === 'object' && value !== null).length;
  const own =
    costs.value +
    costs.alternative * anyOf.length +
    costs.property * (members.length + required.length) +
    costs.default * members.filter((member) => 'default' in member).length +
    costs.container * containers +
    costs.scalar * (listed.length - containers);
  const compared = containers === 0 ? [] : Array<number>(jsonLimits.depth).fill(costs.inContainer * containers);
  // A value is under one of the members, or is an item, but is under every alternative.
  const parts = [...members, items, additionalProperties].filter((part) => typeof part === 'object');
  const inside = merge(Math.max, [compared, ...parts.map(stepsByLevel)]);
  return merge((left, right) => left + right, [[own, ...inside], ...anyOf.map(stepsByLevel)]);
}

function merge(join: (left: number, right: number) => number, lists: readonly (readonly number[])[]): number[] {
  const length = Math.max(...lists.map((list) => list.length));
  return Array.from({ length }, (_, level) => lists.reduce((total, list) => join(total, list[level] ?? 0), 0));
}

/** Upper bound of the steps to validate a whole document. */
function stepsOf(document: unknown, levels: readonly number[]): number {
  let steps = 0;
  let values = [document];
  for (const each of levels) {
    steps += each * values.length;
    const next: unknown[] = [];
    for (const value of values) {
      if (typeof value !== 'object' || value === null) continue;
      for (const child of Array.isArray(value) ? value : Object.values(value)) next.push(child);
    }
    values = next;
  }
  return steps;
}
