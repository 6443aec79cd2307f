import type { Simplify } from './schema.ts';

/**
 * The shape of an output, in the words of the application: a description for a string, `a | b` for a choice, and
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

/** A name that ends in `?` is optional in the output. */
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

/** An invalid output shape. Thrown by the declaration, before any request. */
export class ShapeError extends TypeError {
  override readonly name = 'ShapeError';

  /** @param path Such as `leanCanvas.problem[]`: the function, then the position in its shape. */
  constructor(path: string, problem: string) {
    super(`output shape at ${path}: ${problem}`);
  }
}

type Schema = Record<string, unknown>;

const tagged = /^(.*)\((number|integer|boolean|string|date|datetime)\)$/s;
const formats: Readonly<Record<string, string>> = { date: 'date', datetime: 'date-time' };

/** The JSON Schema of a shape. The types in this file mirror it. */
export function shapeToJsonSchema(shape: unknown, path: string): Schema {
  if (shape === String) return { type: 'string' };
  if (shape === Number) return { type: 'number' };
  if (shape === Boolean) return { type: 'boolean' };
  if (typeof shape === 'string') return textSchema(shape);
  if (Array.isArray(shape)) return arraySchema(shape, path);
  if (typeof shape === 'object' && shape !== null) return objectSchema(shape, path);
  throw new ShapeError(path, `${String(shape)} is not a shape; describe it, as in "how many (number)"`);
}

function textSchema(text: string): Schema {
  const [, before, tag = 'string'] = tagged.exec(text) ?? [];
  const description = (before ?? text).trim();
  if (before === undefined) {
    const options = text.split(' | ').map((option) => option.trim());
    if (options.length > 1 && options.every(isOption)) return { type: 'string', enum: options };
  }
  const format = formats[tag];
  return { type: format ? 'string' : tag, ...(format && { format }), ...(description && { description }) };
}

function isOption(text: string): boolean {
  return text !== '' && text.split(' ').length <= 3 && !/[,:;()?!]/.test(text);
}

function arraySchema(shape: readonly unknown[], path: string): Schema {
  if (shape.length > 1 && shape.every((item) => typeof item === 'string')) {
    return { type: 'array', items: { type: 'string' }, description: shape.join('; ') };
  }
  if (shape.length !== 1) {
    throw new ShapeError(path, `a list takes one shape, not ${shape.length}`);
  }
  return { type: 'array', items: shapeToJsonSchema(shape[0], `${path}[]`) };
}

function objectSchema(shape: object, path: string): Schema {
  const required: string[] = [];
  const properties = Object.entries(shape).map(([key, value]) => {
    const optional = key.endsWith('?');
    const name = optional ? key.slice(0, -1) : key;
    if (!optional) required.push(name);
    return [name, shapeToJsonSchema(value, `${path}.${name}`)] as const;
  });
  // Unlike an assignment, this keeps a property named `__proto__`.
  return { type: 'object', properties: Object.fromEntries(properties), required, additionalProperties: false };
}
