import { OutputInvalidError } from '../errors.ts';
import type { FromJsonSchema, JsonSchema, StandardSchema } from './schema.ts';
import { type FromShape, type ObjectShape, ShapeError, shapeToJsonSchema } from './shape.ts';

/** The ways to declare an output: a shape, a Standard Schema (zod, Valibot, ArkType), TypeBox, or JSON Schema. */
export type OutputShape = ObjectShape | StandardSchema | JsonSchema;

/** The type of a declared output. */
export type OutputOf<S> = S extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : unknown
  : S extends { readonly static: infer Static }
    ? Static
    : S extends JsonSchema
      ? FromJsonSchema<S>
      : FromShape<S>;

/** A declared output with its JSON Schema and its validation. */
export interface Output {
  /** Its root is an object: other roots are wrapped, because models and the server return objects. */
  readonly schema: Record<string, unknown>;
  readonly wrapped: boolean;
  /** @throws OutputInvalidError if a Standard Schema rejects the value. */
  parse(value: unknown): Promise<unknown>;
  /** The partial value. */
  parsePartial(value: unknown): unknown;
}

/**
 * @param path Prefix of the position in errors.
 * @throws ShapeError with the position in the shape.
 */
export function toOutput(declared: unknown, path: string): Output {
  const standard = standardOf(declared);
  const { $schema: _, ...schema } = standard ? inputSchema(standard, path) : toSchema(declared, path);
  const wrapped = schema['type'] !== 'object';
  const unwrap = (value: unknown): unknown =>
    wrapped ? (value as Readonly<Record<string, unknown>> | undefined)?.['result'] : value;
  return {
    wrapped,
    schema: wrapped
      ? { type: 'object', properties: { result: schema }, required: ['result'], additionalProperties: false }
      : schema,
    parse: async (value) => (standard ? await validated(standard, unwrap(value)) : unwrap(value)),
    parsePartial: unwrap,
  };
}

type Standard = StandardSchema['~standard'];

function standardOf(declared: unknown): Standard | undefined {
  const can = (typeof declared === 'object' && declared !== null) || typeof declared === 'function';
  return can ? (declared as Partial<StandardSchema>)['~standard'] : undefined;
}

/** The input type of the schema: a model generates its input; transforms and defaults are applied here. */
function inputSchema({ vendor, jsonSchema }: Standard, path: string): Record<string, unknown> {
  if (jsonSchema) return jsonSchema.input({ target: 'draft-2020-12' });
  throw new ShapeError(path, `this schema of ${vendor} has no JSON Schema; zod 4.2, ArkType 2.1.28 and Valibot have`);
}

function toSchema(declared: unknown, path: string): Record<string, unknown> {
  if (typeof declared !== 'object' || declared === null || Array.isArray(declared)) {
    throw new ShapeError(path, 'the root must be an object');
  }
  const { $schema, type, properties, items } = declared as Record<string, unknown>;
  const isSchema =
    typeof $schema === 'string' ||
    (type === 'object' && typeof properties === 'object') ||
    (type === 'array' && typeof items === 'object');
  return isSchema ? { ...declared } : shapeToJsonSchema(declared, path);
}

async function validated({ validate }: Standard, value: unknown): Promise<unknown> {
  const result = await validate(value);
  if (result.issues) throw new OutputInvalidError(value, result.issues);
  return result.value;
}
