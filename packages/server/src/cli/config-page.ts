import type { OptionSchema } from '@patchbay/core/plugin';
import type { DescribedPlugin } from './plugins-of.ts';

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

/** A number may be a text that is filled in; its own type comes first. */
function withoutReference(member: unknown): DescribedSchema {
  const { anyOf, ...rest } = member as DescribedSchema & { readonly anyOf?: readonly DescribedSchema[] };
  return { ...anyOf?.[0], ...rest };
}

function typeOf({ enum: values, type, writeOnly }: DescribedSchema): string {
  const words = values ? values.map((value) => JSON.stringify(value)).join(', ') : (type ?? 'any');
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
