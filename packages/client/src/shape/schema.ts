/**
 * The part of a schema that the client needs, of zod 4.2, ArkType 2.1.28, Valibot or another library that follows Standard Schema
 * and Standard JSON Schema (https://standardschema.dev).
 */
export interface StandardSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
    readonly types?: { readonly input: unknown; readonly output: unknown } | undefined;
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
    };
  };
}

type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One problem with a value. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** A JSON Schema, with the members that distinguish it from other declarations. */
export type JsonSchema =
  | { readonly $schema: string }
  | { readonly type: 'object'; readonly properties: object }
  | { readonly type: 'array'; readonly items: object };

type Properties<P, Required> = Simplify<
  { -readonly [K in keyof P as K extends Required ? K : never]: FromJsonSchema<P[K]> } & {
    -readonly [K in keyof P as K extends Required ? never : K]?: FromJsonSchema<P[K]>;
  }
>;

interface Primitives {
  readonly string: string;
  readonly number: number;
  readonly integer: number;
  readonly boolean: boolean;
  readonly null: null;
}

/** The type of the values that a JSON Schema describes, for the keywords of the service's own Schema object. */
export type FromJsonSchema<S> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly type: infer Type extends keyof Primitives }
      ? Primitives[Type]
      : S extends { readonly type: 'array'; readonly items: infer Items }
        ? FromJsonSchema<Items>[]
        : S extends { readonly type: 'object'; readonly properties: infer P; readonly required: readonly (infer R)[] }
          ? Properties<P, R>
          : S extends { readonly type: 'object'; readonly properties: infer P }
            ? Properties<P, never>
            : S extends { readonly type: 'object' }
              ? Record<string, unknown>
              : S extends { readonly type: 'array' }
                ? unknown[]
                : unknown;

/** Shows an intersection as one object in an editor. */
export type Simplify<T> = { [K in keyof T]: T[K] } & {};
