import type { JsonValue } from './json.ts';

/** The type names that a schema may use. */
export type SchemaType = 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null';

/**
 * The part of JSON Schema (draft 2020-12) that Patchbay accepts from callers, for the input and output of functions
 * and for the parameters of function calling.
 *
 * The first seven members are those of the interface specification. The rest are allow-listed keywords whose cost is
 * linear in the validated value. `$ref`, `$id`, `oneOf`, `patternProperties` and the like are rejected, because each
 * of them lets a small schema stall the process that validates with it.
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
  readonly items?: Schema;
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
}
