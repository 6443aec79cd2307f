import type { JsonValue } from './json.ts';

/** The type names that a schema may use. */
export type SchemaType = 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null';

/**
 * JSON Schema (draft 2020-12) as callers may send it: for the input and output of functions, for the parameters of tools
 * and for the form of a model's response. Schemas that Zod, Valibot, ArkType, TypeBox and Pydantic generate are accepted
 * as they are, their older spellings included (`definitions`, a list as `items`, references by `$id`).
 *
 * References stay within the document. A schema may refer to itself, for data that is nested at most 32 levels deep.
 * Bounds on size, patterns and cost keep checking a value linear in its size; a schema beyond them is rejected, with
 * the location. Formats that are not checked are notes for readers.
 *
 * @example
 * ```ts
 * import type { Schema } from '@patchbay/core/plugin';
 *
 * const input: Schema = {
 *   type: 'object',
 *   properties: { text: { type: 'string' }, maxPoints: { type: 'integer', default: 5 } },
 *   required: ['text'],
 * };
 * ```
 */
export interface Schema {
  readonly type?: SchemaType | readonly SchemaType[];
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  /** `false`: none beyond `prefixItems`. */
  readonly items?: Schema | boolean;
  readonly description?: string;
  /** Used if the value is absent. */
  readonly default?: JsonValue;
  readonly enum?: readonly JsonValue[];

  readonly title?: string;
  readonly const?: JsonValue;
  readonly format?: string;
  /** Matched by a linear-time engine in RE2 syntax: no look-around, no back-references. */
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];

  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly not?: Schema;
  readonly if?: Schema;
  readonly then?: Schema;
  readonly else?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly contains?: Schema;
  readonly minContains?: number;
  readonly maxContains?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly patternProperties?: { readonly [pattern: string]: Schema };
  readonly propertyNames?: Schema;
  readonly dependentRequired?: { readonly [name: string]: readonly string[] };
  readonly dependentSchemas?: { readonly [name: string]: Schema };
  readonly unevaluatedProperties?: boolean | Schema;
  readonly unevaluatedItems?: boolean | Schema;
  /** Within the document. In a resolved schema only where the schema refers to itself, as `#/$defs/<name>`. */
  readonly $ref?: string;
  readonly $defs?: { readonly [name: string]: Schema };
}
