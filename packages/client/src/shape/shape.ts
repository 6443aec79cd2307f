import type { Simplify } from './simplify.ts';

/**
 * What an output looks like, in the words of whoever declares it: a description for a string, `a | b` for a choice, and
 * `(number)`, `(integer)`, `(boolean)`, `(date)`, `(datetime)`, `(string)` at the end of a description for other types.
 */
export type Shape =
  | string
  | StringConstructor
  | NumberConstructor
  | BooleanConstructor
  | readonly [Shape]
  | readonly string[]
  | ObjectShape;

/** A name that ends in `?` may be left out of the output. */
export interface ObjectShape {
  readonly [name: string]: Shape;
}

type Trim<S extends string> = S extends ` ${infer Rest}` ? Trim<Rest> : S extends `${infer Rest} ` ? Trim<Rest> : S;

type Split<S extends string> = S extends `${infer First} | ${infer Rest}` ? [Trim<First>, ...Split<Rest>] : [Trim<S>];

/** One to three words without the punctuation of a sentence, so that prose with a bar in it stays prose. */
type IsOption<S extends string> = S extends ''
  ? false
  : S extends `${string} ${string} ${string} ${string}`
    ? false
    : S extends `${string}${',' | ':' | ';' | '(' | ')' | '?' | '!'}${string}`
      ? false
      : true;

type AllOptions<Parts extends readonly string[]> = Parts extends readonly [
  infer First extends string,
  ...infer Rest extends readonly string[],
]
  ? IsOption<First> extends true
    ? AllOptions<Rest>
    : false
  : true;

type Choice<S extends string> =
  Split<S> extends infer Parts extends readonly [string, string, ...string[]]
    ? AllOptions<Parts> extends true
      ? Parts[number]
      : string
    : string;

type FromText<S extends string> = string extends S
  ? string
  : S extends `${string}(${'number' | 'integer'})`
    ? number
    : S extends `${string}(boolean)`
      ? boolean
      : S extends `${string}(${'string' | 'date' | 'datetime'})`
        ? string
        : Choice<S>;

type OptionalKeys<T> = { [K in keyof T]: K extends `${string}?` ? K : never }[keyof T];

type WithoutMark<K> = K extends `${infer Name}?` ? Name : K;

/** The type of the values that a shape describes. */
export type FromShape<T> = T extends StringConstructor
  ? string
  : T extends NumberConstructor
    ? number
    : T extends BooleanConstructor
      ? boolean
      : T extends string
        ? FromText<T>
        : T extends readonly [infer Item]
          ? FromShape<Item>[]
          : T extends readonly string[]
            ? string[]
            : T extends object
              ? Simplify<
                  { -readonly [K in Exclude<keyof T, OptionalKeys<T>>]: FromShape<T[K]> } & {
                    -readonly [K in OptionalKeys<T> as WithoutMark<K>]?: FromShape<T[K]>;
                  }
                >
              : never;
