import type { Simplify } from './simplify.ts';

/** A JSON Schema, as far as it is needed to tell it from other ways to declare an output. */
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
