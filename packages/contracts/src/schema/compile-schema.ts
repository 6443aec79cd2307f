import type { ErrorObject, Options, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { RE2JS } from 're2js';
import { jsonLimits } from '../base/check-json.ts';
import { memberPointer, shownPointer } from '../base/json-pointer.ts';
import type { ErrorDetail } from '../errors.ts';
import type { Schema } from '../json-schema.ts';
import { discriminate, discriminatorName } from './discriminated-alternatives.ts';
import { decimalMultipleOf, linearUniqueItems } from './own-keywords.ts';
import { definitionOf, resolvedSchema } from './resolve-schema.ts';
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

// Measured. The unit, a step, is the cost of a failed alternative: about 50 ns.
const costs = {
  value: 1,
  alternative: 1,
  property: 0.1,
  default: 4,
  scalar: 0.2,
  container: 1,
  inContainer: 0.1,
  unique: 20,
};

const kinds = ['object', 'array', 'scalar'] as const;

/** The kind of a value, as far as it decides which schemas are applied within it. */
type Kind = (typeof kinds)[number];

/**
 * How many steps checking a document against a resolved schema takes at most, by how deep each value is in the document.
 *
 * Alternatives within alternatives, long lists in `enum` and many defaults multiply with the values of a document: 64 KiB
 * of schema and 1 MiB of document could hold the event loop for seconds.
 */
class CheckingCost {
  readonly #root: Schema;
  readonly #isRecursive: boolean;
  readonly #known = new Map<Schema, Map<string, number>>();
  readonly #byLevel: number[] = [];

  constructor(schema: Schema) {
    this.#root = schema;
    this.#isRecursive = schema.$defs !== undefined;
  }

  /** @returns `too deep` where the document is nested deeper than a schema that refers to itself may be applied. */
  of(document: unknown): number | 'too deep' {
    let steps = 0;
    let values = [document];
    for (let level = 0; values.length > 0 && level <= jsonLimits.depth; level += 1) {
      if (this.#isRecursive && level > schemaLimits.recursion) return 'too deep';
      const each = this.#byLevel[level] ?? this.#most(this.#root, level);
      this.#byLevel[level] = each;
      // If the schema costs nothing here, it does not reach deeper.
      if (each === 0) break;
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

  /** The steps for one value that is `depth` levels below the value of the schema, whatever its kind. */
  #most(schema: Schema, depth: number): number {
    return Math.max(...kinds.map((kind) => this.#below(schema, depth, kind)));
  }

  #below(schema: Schema, depth: number, kind: Kind): number {
    const known = this.#known.get(schema) ?? new Map<string, number>();
    this.#known.set(schema, known);
    const key = kind + depth;
    let steps = known.get(key);
    if (steps === undefined) {
      steps = this.#count(schema, depth, kind);
      known.set(key, steps);
    }
    return steps;
  }

  #count(schema: Schema, depth: number, kind: Kind): number {
    // For a value of another type, only the type is checked.
    if (!admits(schema, kind)) return depth === 0 ? costs.value : 0;
    const { oneOf = [], $ref } = schema;
    const isDiscriminated = discriminatorName(schema) !== undefined;
    const target = definitionOf($ref, this.#root);
    const together = [...inPlace(schema), ...(isDiscriminated ? [] : oneOf), ...(target ? [target] : [])];
    let steps = depth === 0 ? ownSteps(schema, kind) : this.#withinSteps(schema, depth, kind);
    for (const each of together) steps += this.#below(each, depth, kind);
    if (isDiscriminated) steps += Math.max(0, ...oneOf.map((each) => this.#below(each, depth, kind)));
    return steps;
  }

  #withinSteps(schema: Schema, depth: number, kind: Kind): number {
    const { containers } = compared(schema);
    const inCompared = containers * costs.inContainer;
    if (kind === 'scalar') return inCompared;
    const { some, every } = kind === 'object' ? membersOf(schema) : itemsOf(schema);
    const most = Math.max(0, ...some.map((each) => this.#most(each, depth - 1)));
    const all = every.reduce((sum, each) => sum + this.#most(each, depth - 1), 0);
    const names = depth === 1 && kind === 'object' && schema.propertyNames;
    return inCompared + most + all + (names ? this.#below(names, 0, 'scalar') : 0) + uniqueSteps(schema, kind);
  }
}

function admits({ type }: Schema, kind: Kind): boolean {
  if (type === undefined) return true;
  const types: readonly string[] = typeof type === 'string' ? [type] : type;
  return types.some((name) => (name === 'object' || name === 'array' ? name : 'scalar') === kind);
}

/** The schemas that are applied to the value itself, all of them. */
function inPlace(schema: Schema): readonly Schema[] {
  const { anyOf = [], allOf = [], not, if: condition, then: met, else: unmet, dependentSchemas = {} } = schema;
  const single = [not, condition, met, unmet].filter((each) => each !== undefined);
  return [...anyOf, ...allOf, ...single, ...Object.values(dependentSchemas)];
}

const isSchema = (part: Schema | boolean | undefined): part is Schema => typeof part === 'object';

interface Parts {
  /** One of them is applied to each part of the value. */
  readonly some: readonly Schema[];
  /** All of them are. */
  readonly every: readonly Schema[];
}

function membersOf({
  properties = {},
  patternProperties = {},
  additionalProperties,
  unevaluatedProperties,
}: Schema): Parts {
  const some = [...Object.values(properties), additionalProperties, unevaluatedProperties].filter(isSchema);
  return { some, every: Object.values(patternProperties) };
}

function itemsOf({ prefixItems = [], items, unevaluatedItems, contains }: Schema): Parts {
  return { some: [...prefixItems, items, unevaluatedItems].filter(isSchema), every: [contains].filter(isSchema) };
}

function uniqueSteps({ uniqueItems }: Schema, kind: Kind): number {
  return uniqueItems && kind === 'array' ? costs.unique : 0;
}

/** The values that a value is compared with. */
function compared(schema: Schema): { readonly scalars: number; readonly containers: number } {
  const listed = [...(schema.enum ?? []), ...('const' in schema ? [schema.const] : [])];
  const containers = listed.filter((value) => typeof value === 'object' && value !== null).length;
  return { scalars: listed.length - containers, containers };
}

function ownSteps(schema: Schema, kind: Kind): number {
  const { properties = {}, required = [], anyOf = [], oneOf = [], allOf = [], patternProperties = {} } = schema;
  const { scalars, containers } = compared(schema);
  const steps =
    costs.value +
    costs.alternative * (anyOf.length + oneOf.length + allOf.length) +
    costs.container * containers +
    costs.scalar * scalars;
  if (kind !== 'object') return steps;
  const members = Object.values(properties);
  const defaults = members.filter((member) => isSchema(member) && 'default' in member).length;
  const named = members.length + required.length + Object.keys(patternProperties).length;
  return steps + costs.property * named + costs.default * defaults;
}
