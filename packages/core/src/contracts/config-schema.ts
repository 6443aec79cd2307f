/** Schema of one option. `writeOnly: true` marks a secret: it is hidden wherever config is shown or logged. */
export interface OptionSchema {
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  readonly description?: string;
  readonly default?: unknown;
  readonly writeOnly?: boolean;
  /**
   * Whether a running process takes a new value over at SIGHUP; otherwise it holds from the next start. Also meant for
   * what is within, unless that says otherwise. Only for sections of the config: options of a plugin go as its mount does.
   * Default: false.
   */
  readonly reload?: boolean;
  readonly enum?: readonly (string | number)[];
  /** One of JSON Schema, such as `uri`; or `address-range`, an IP address or a network in CIDR notation. */
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly items?: OptionSchema;
  readonly properties?: { readonly [name: string]: OptionSchema };
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | OptionSchema;
}

/** The options of a plugin. Unknown options are refused. */
export interface ConfigSchema {
  readonly properties: { readonly [name: string]: OptionSchema };
  readonly required?: readonly string[];
}

type ValueOf<O extends OptionSchema> = O extends { readonly enum: readonly (infer E)[] }
  ? E
  : O['type'] extends 'string'
    ? string
    : O['type'] extends 'boolean'
      ? boolean
      : O['type'] extends 'integer' | 'number'
        ? number
        : O['type'] extends 'array'
          ? readonly (O extends { readonly items: infer I extends OptionSchema } ? ValueOf<I> : unknown)[]
          : O extends { readonly properties: infer P extends ConfigSchema['properties'] }
            ? ObjectOf<P, O extends { readonly required: readonly (infer R)[] } ? R : never>
            : O extends { readonly additionalProperties: infer A extends OptionSchema }
              ? Readonly<Record<string, ValueOf<A>>>
              : Readonly<Record<string, unknown>>;

type Present<O extends OptionSchema, Name, Required> = O extends { readonly default: unknown }
  ? true
  : Name extends Required
    ? true
    : false;

type ObjectOf<P extends ConfigSchema['properties'], Required> = {
  readonly [N in keyof P as Present<P[N], N, Required> extends true ? N : never]: ValueOf<P[N]>;
} & {
  readonly [N in keyof P as Present<P[N], N, Required> extends true ? never : N]?: ValueOf<P[N]> | undefined;
};

/** The type of a plugin's config, read off its schema: an option without default that is not required is optional. */
export type ConfigOf<S extends ConfigSchema> = ObjectOf<
  S['properties'],
  S extends { readonly required: readonly (infer R)[] } ? R : never
>;
