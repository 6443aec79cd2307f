import { jsonLimits } from '../base/check-json.ts';
import type { Schema } from '../json-schema.ts';
import { discriminatorName } from './discriminated-alternatives.ts';
import { definitionOf } from './resolve-schema.ts';
import { schemaLimits } from './schema-limits.ts';

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
export class CheckingCost {
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
