import type { ConfigOf, ConfigSchema } from './config-schema.ts';
import type { Logger } from './context.ts';
import type { Kind, Kinds } from './kinds.ts';
import type { ServiceRef } from './services.ts';

/** The services that a plugin declares, under names of its choice. */
export type Dependencies = Readonly<Record<string, ServiceRef<unknown>>>;

type Resolved<D extends Dependencies> = {
  readonly [N in keyof D]: D[N] extends ServiceRef<infer T> ? T : never;
};

/** Arguments of `create`. */
export interface CreateArguments<S extends ConfigSchema, D extends Dependencies> {
  /** Valid against the schema, with defaults filled in. */
  readonly config: ConfigOf<S>;
  readonly deps: Resolved<D>;
  /** Bound to the name under which the plugin is mounted. */
  readonly logger: Logger;
  /** The name under which the plugin is mounted: `storage`, `providers.openai`. */
  readonly mount: string;
  /** Base directory for relative paths: that of the config file, or the working directory. */
  readonly directory: string;
}

export interface PluginDefinition<K extends Kind, S extends ConfigSchema, D extends Dependencies> {
  /** Name of the npm package. */
  readonly name: string;
  readonly kind: K;
  /** Version of the kind's contract that is implemented; see `contractVersions`. */
  readonly version: number;
  /** Optional features of the implementation. Conformance suites test the declared ones. */
  readonly capabilities?: readonly string[];
  /**
   * Patterns of the secrets that the plugin generates and the server does not store, such as API keys. Logs and responses show
   * `[hidden]` in place of a match. Must match in linear time.
   */
  readonly secretForms?: readonly RegExp[];
  readonly config: S;
  readonly deps?: D;
  /** Create the instance, synchronously and without I/O. Connect in `start`. */
  create(args: CreateArguments<S, D>): Kinds[K];
}

/** A declared plugin. */
export interface Plugin<K extends Kind = Kind> {
  readonly $$type: 'patchbay.plugin';
  readonly definition: Omit<PluginDefinition<K, ConfigSchema, Dependencies>, 'create'> & {
    create(args: {
      readonly config: unknown;
      readonly deps: unknown;
      readonly logger: Logger;
      readonly mount: string;
      readonly directory: string;
    }): Kinds[K];
  };
}

/**
 * Declare a plugin: the default export of its package. The types of `config` and `deps` are inferred from the schema
 * and the refs, so that a plugin is written without generics, and a wrong option is a compile error.
 *
 * @example
 * ```ts
 * import { definePlugin } from '@patchbay/core/plugin';
 *
 * export default definePlugin({
 *   name: 'patchbay-secrets-file',
 *   kind: 'secrets',
 *   version: 1,
 *   config: { properties: { prefix: { type: 'string', default: 'APP_' } } },
 *   create({ config }) {
 *     return {
 *       async resolve(name) {
 *         return process.env[config.prefix + name] ?? '';
 *       },
 *     };
 *   },
 * });
 * ```
 */
export function definePlugin<
  K extends Kind,
  const S extends ConfigSchema,
  const D extends Dependencies = Record<never, never>,
>(definition: PluginDefinition<K, S, D>): Plugin<K> {
  return { $$type: 'patchbay.plugin', definition: definition as unknown as Plugin<K>['definition'] };
}
