/** Schema of one option. `writeOnly: true` marks a secret: it is hidden wherever config is shown or logged. */
export interface OptionSchema {
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | readonly ['integer', 'string'];
  readonly description?: string;
  readonly default?: unknown;
  readonly writeOnly?: boolean;
  /**
   * Whether a running process applies a new value on SIGHUP; otherwise it takes effect at the next start. Also applies to
   * nested options, unless they say otherwise. Only for sections of the config: options of a plugin follow its mount.
   * Default: false.
   */
  readonly reload?: boolean;
  readonly enum?: readonly (string | number)[];
  /** A format of JSON Schema, such as `uri`; or `address-range`, an IP address or a network in CIDR notation. */
  readonly format?: string;
  readonly pattern?: string;
  /** Message for values that do not match `pattern`: `must be an http or https URL`. Default: the pattern itself. */
  readonly $comment?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly items?: OptionSchema;
  readonly properties?: { readonly [name: string]: OptionSchema };
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | OptionSchema;
}

/** The options of a plugin. Unknown options are rejected. */
export interface ConfigSchema {
  readonly properties: { readonly [name: string]: OptionSchema };
  readonly required?: readonly string[];
}

type ValueOf<O extends OptionSchema, Given> = O extends { readonly enum: readonly (infer E)[] }
  ? E
  : O['type'] extends readonly ['integer', 'string']
    ? number | string
    : O['type'] extends 'string'
      ? string
      : O['type'] extends 'boolean'
        ? boolean
        : O['type'] extends 'integer' | 'number'
          ? number
          : O['type'] extends 'array'
            ? readonly (O extends { readonly items: infer I extends OptionSchema } ? ValueOf<I, Given> : unknown)[]
            : O extends { readonly properties: infer P extends ConfigSchema['properties'] }
              ? ObjectOf<P, O extends { readonly required: readonly (infer R)[] } ? R : never, Given>
              : O extends { readonly additionalProperties: infer A extends OptionSchema }
                ? Readonly<Record<string, ValueOf<A, Given>>>
                : Readonly<Record<string, unknown>>;

type IsPresent<O extends OptionSchema, Name, Required, Given> = O extends { readonly default: unknown }
  ? Given extends true
    ? false
    : true
  : Name extends Required
    ? true
    : false;

/** Flattened, so that editors show the members instead of the mapped type. */
type ObjectOf<P extends ConfigSchema['properties'], Required, Given> = {
  [N in keyof P as IsPresent<P[N], N, Required, Given> extends true ? N : never]: ValueOf<P[N], Given>;
} & {
  [N in keyof P as IsPresent<P[N], N, Required, Given> extends true ? never : N]?: ValueOf<P[N], Given>;
} extends infer Members
  ? { readonly [N in keyof Members]: Members[N] }
  : never;

type RequiredOf<S extends ConfigSchema> = S extends { readonly required: readonly (infer R)[] } ? R : never;

/** The type of a plugin's config, inferred from its schema: an option without default that is not required is optional. */
export type ConfigOf<S extends ConfigSchema> = ObjectOf<S['properties'], RequiredOf<S>, false>;

/** The type of a config as it is written: an option with a default may be omitted. */
export type GivenConfigOf<S extends ConfigSchema> = ObjectOf<S['properties'], RequiredOf<S>, true>;

/** The type of one option of a config, with defaults filled in. */
export type OptionValue<O extends OptionSchema> = ValueOf<O, false>;

/** An option with its description and the further members of its schema. */
export function option<const T extends OptionSchema['type'], const R extends Partial<OptionSchema>>(
  type: T,
  description: string,
  rest: R = {} as R,
) {
  return { type, description, ...rest };
}

/** An option with a list of non-empty strings. */
export const textList = {
  type: 'array',
  items: { type: 'string', minLength: 1 },
} as const satisfies OptionSchema;
