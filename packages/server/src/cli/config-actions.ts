import { type AppConfig, configJsonSchema, printConfig } from '@patchbay/core';
import type { ConfigSchema, OptionSchema } from '@patchbay/core/plugin';
import { loadServerConfig } from '../load-server-config.ts';
import { createCommandLogger } from '../logger.ts';
import { serverConfigSchema, workerConfigSchema } from '../server-config.ts';
import type { Action, CliContext } from './cli-context.ts';
import { type ConfigOptions, configOf } from './options.ts';
import { printDocument } from './output.ts';

const sections = { server: serverConfigSchema, worker: workerConfigSchema };

/** The config of a command. @throws PatchbayError with every problem, each on a line. */
export async function loadFor(context: CliContext, options: ConfigOptions) {
  const { cwd, env } = context;
  return await loadServerConfig({ file: configOf(options, context), cwd, env, logger: createCommandLogger(env) });
}

export const print: Action<ConfigOptions> = async (context, options) => {
  const { entries, file } = await loadFor(context, options);
  if (options.json) for (const entry of entries) context.output.result(JSON.stringify(entry));
  else context.output.result((await printConfig({ entries })).trimEnd());
  context.output.note(`from ${file ?? 'the built-in defaults'}`);
};

export const validate: Action<ConfigOptions> = async (context, options) => {
  const { file } = await loadFor(context, options);
  if (options.json) context.output.result(JSON.stringify({ file: file ?? null, valid: true }));
  context.output.note(`${file ?? 'the built-in defaults'}: nothing is wrong`);
};

export const schema: Action<ConfigOptions> = async (context, options) => {
  const document = configJsonSchema(sections, await pluginsOf(await loadFor(context, options)));
  printDocument(context.output, options, document);
};

export const docs: Action<ConfigOptions> = async (context, options) => {
  const page = configPage(configJsonSchema(sections, []), await pluginsOf(await loadFor(context, options)));
  if (options.json) for (const row of page.rows) context.output.result(JSON.stringify(row));
  else context.output.result(page.text);
};

/** One option, as a row of the page. */
export interface OptionRow {
  /** Name of the plugin; absent for options of the config itself. */
  readonly plugin?: string;
  readonly path: string;
  readonly type: string;
  readonly default?: unknown;
  readonly description: string;
}

interface DescribedSchema extends Partial<Omit<OptionSchema, 'properties' | 'items' | 'additionalProperties'>> {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly items?: unknown;
  readonly additionalProperties?: unknown;
}

/** Every option of the format and of plugins, as Markdown. */
export function configPage(schema: unknown, plugins: readonly DescribedPlugin[]): { rows: OptionRow[]; text: string } {
  const rows = rowsOf(schema as DescribedSchema, '');
  const parts = [`# Options of a config file\n\n${tableOf(rows)}`];
  for (const { name, kind, config } of plugins) {
    const own = rowsOf(config as DescribedSchema, '').map((row) => ({ ...row, plugin: name }));
    rows.push(...own);
    parts.push(
      `## ${name}\n\nA plugin of the kind \`${kind}\`.\n\n${own.length > 0 ? tableOf(own) : 'It has no options.'}`,
    );
  }
  return { rows, text: parts.join('\n\n') };
}

function rowsOf(schema: DescribedSchema, path: string): OptionRow[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const option = withoutReference(member);
    const own = path === '' ? name : `${path}.${name}`;
    const inner = [
      ...rowsOf(option, own),
      ...rowsOf(Object(option.additionalProperties) as DescribedSchema, `${own}.<name>`),
      ...rowsOf(Object(option.items) as DescribedSchema, `${own}[]`),
    ];
    const { default: standard } = option;
    if (inner.length > 0 && option.description === undefined) return inner;
    const { description = '' } = option;
    return [
      { path: own, type: typeOf(option), description, ...(standard !== undefined && { default: standard }) },
      ...inner,
    ];
  });
}

/** A number may be a string with a placeholder; its own type comes first. */
function withoutReference(member: unknown): DescribedSchema {
  const { anyOf, ...rest } = member as DescribedSchema & { readonly anyOf?: readonly DescribedSchema[] };
  return { ...anyOf?.[0], ...rest };
}

function typeOf({ enum: values, type, writeOnly }: DescribedSchema): string {
  const words = values ? values.map((value) => JSON.stringify(value)).join(', ') : [type ?? 'any'].flat().join(' or ');
  return writeOnly ? `${words}, secret` : words;
}

function tableOf(rows: readonly OptionRow[]): string {
  const cells = rows.map(({ path, type, default: standard, description }) =>
    [`\`${path}\``, type, standard === undefined ? '' : `\`${JSON.stringify(standard)}\``, description]
      .map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' '))
      .join(' | '),
  );
  return [
    '| option | type | default | meaning |',
    '| --- | --- | --- | --- |',
    ...cells.map((row) => `| ${row} |`),
  ].join('\n');
}

/** A plugin with the options that a config may set. */
interface DescribedPlugin {
  readonly name: string;
  readonly kind: string;
  readonly config: ConfigSchema;
}

/** Plugins that come with the server. */
const shipped = [
  '@patchbay/store-sqlite',
  '@patchbay/store-postgres',
  '@patchbay/executor-deno',
  '@patchbay/auth-api-key',
  '@patchbay/auth-oauth',
  '@patchbay/provider-openai',
  '@patchbay/provider-anthropic',
  '@patchbay/provider-google',
  '@patchbay/provider-demo',
  '@patchbay/router-learned',
  '@patchbay/router-weighted',
  '@patchbay/limiter-postgres',
  '@patchbay/limiter-sqlite',
  '@patchbay/tools-mcp',
];

/** The plugins that a config mounts, and those that come with the server. */
async function pluginsOf({ app }: { readonly app: AppConfig }): Promise<readonly DescribedPlugin[]> {
  const named = [app.providers, app.authenticators, app.tools].flatMap((mounts) => Object.values(mounts ?? {}));
  const mounts = [...Object.values(app), ...named] as unknown[];
  const mounted = mounts.flatMap((mount) => describedIn((mount as { readonly use?: unknown } | undefined)?.use));
  const own = await Promise.all(
    shipped.map(async (name) => describedIn(((await import(name)) as { default: unknown }).default)),
  );
  return [...new Map([...own.flat(), ...mounted].map((plugin) => [plugin.name, plugin])).values()];
}

function describedIn(plugin: unknown): readonly DescribedPlugin[] {
  const { definition } = Object(plugin) as { readonly definition?: DescribedPlugin };
  return definition === undefined ? [] : [definition];
}
