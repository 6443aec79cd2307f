import type { ConfigSchema, OptionSchema } from '@patchbay/contracts/config-schema';
import { appConfigSchema } from './app-config.ts';
import { namedKinds } from './mounts.ts';

export type JsonSchemaDocument = Readonly<Record<string, unknown>>;

interface DescribedPlugin {
  /** As it is written in `use`. */
  readonly name: string;
  readonly kind: string;
  readonly config: ConfigSchema;
}

/**
 * The JSON Schema (2020-12) of config files, for completion and hints in editors. Numbers and booleans may be a string with
 * a reference such as `${PORT:-4810}`.
 *
 * @param sections Top-level sections that the host adds to the format, as for `loadConfig`.
 * @param plugins Those whose options are known. Others may be used with any options.
 *
 * @example
 * ```ts
 * import { configJsonSchema } from '@patchbay/core';
 *
 * console.log(JSON.stringify(configJsonSchema({}, []), undefined, 2));
 * ```
 */
export function configJsonSchema(
  sections: Readonly<Record<string, ConfigSchema>>,
  plugins: readonly DescribedPlugin[],
): JsonSchemaDocument {
  const properties = Object.fromEntries(
    Object.entries(appConfigSchema.properties).map(([name, option]) => [name, withPlugins(name, option, plugins)]),
  );
  const own = Object.entries(sections).map(([name, { properties: options }]) => {
    return [name, jsonSchemaOf({ type: 'object', properties: options })] as const;
  });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Patchbay config',
    type: 'object',
    properties: { ...properties, ...Object.fromEntries(own) },
    required: appConfigSchema.required,
    additionalProperties: false,
  };
}

/** Sections with one mount for each name. */
const named: Readonly<Record<string, string>> = namedKinds;

function withPlugins(name: string, option: OptionSchema, plugins: readonly DescribedPlugin[]): JsonSchemaDocument {
  const schema = jsonSchemaOf(option);
  const fitting = plugins.filter(({ kind }) => kind === (named[name] ?? name));
  if (fitting.length === 0) return schema;
  const mount = mountOf(fitting);
  return Object.hasOwn(named, name) ? { ...schema, additionalProperties: mount } : { ...schema, ...mount };
}

/** The options of the plugin that is named. */
function mountOf(plugins: readonly DescribedPlugin[]): JsonSchemaDocument {
  return {
    type: 'object',
    properties: {
      use: {
        description: 'Package name or path of the plugin.',
        anyOf: [{ enum: plugins.map(({ name }) => name) }, { type: 'string' }],
      },
      with: { type: 'object', description: 'Options of the plugin.' },
      optional: jsonSchemaOf({ type: 'boolean' }),
    },
    required: ['use'],
    allOf: plugins.map(({ name, config }) =>
      Object.fromEntries([
        ['if', { properties: { use: { const: name } } }],
        // oxlint-disable-next-line unicorn/no-thenable -- a word of JSON Schema
        ['then', { properties: { with: jsonSchemaOf({ type: 'object', properties: config.properties }) } }],
      ]),
    ),
  };
}

/** A string that is filled in when the file is read. */
const reference = { type: 'string', pattern: '\\$\\{' } as const;

function jsonSchemaOf(option: OptionSchema): JsonSchemaDocument {
  const { properties, items, additionalProperties, type, reload: _, ...rest } = option;
  const schema = {
    ...(type !== undefined && { type }),
    ...rest,
    ...(items && { items: jsonSchemaOf(items) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, jsonSchemaOf(each)])),
    }),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: jsonSchemaOf(additionalProperties) }
      : properties && { additionalProperties: additionalProperties ?? false }),
  };
  const isText =
    type === 'string' && option.enum === undefined && option.pattern === undefined && option.format === undefined;
  if (type === undefined || type === 'object' || isText) return schema;
  const { description, default: standard, ...constraints } = schema as JsonSchemaDocument;
  return {
    ...(description !== undefined && { description }),
    ...(standard !== undefined && { default: standard }),
    anyOf: [constraints, reference],
  };
}
