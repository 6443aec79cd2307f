import type { ConfigSchema, OptionSchema } from '@patchbay/core/plugin';
import { boundsOf } from '../../packages/http/src/reference/bounds-text.ts';
import type { OptionRow } from '../../packages/server/src/cli/config-actions.ts';
import { tableOf } from '../marked-part.ts';
import { optionAt } from './option-at.ts';

export interface PluginOptions {
  readonly name: string;
  readonly kind: string;
  readonly config: ConfigSchema;
}

const head = `# Options of a config file

<!-- Written from the schemas that check a config: \`vitest run scripts/config-reference -u\` writes it again. -->

Every option of the [config file](config.md) and of the plugins in this repository, as the schemas have them that check it.
\`patchbay config docs\` prints the same for the plugins of your config, \`patchbay config schema\` what editors complete by.

\`<name>\` is a name of your choice, \`[]\` for the entries of a list. A default that is not shown is stated in the meaning, or
there is none. _SIGHUP_ says whether a running process
[takes a change over](../operate/running.md#reload-the-config); otherwise it holds from the next start.`;

/** docs/reference/config-options.md. @param rows What `patchbay config docs` prints. */
export function configOptionsPage(
  root: OptionSchema,
  rows: readonly OptionRow[],
  plugins: readonly PluginOptions[],
): string {
  const own = rows.filter(({ plugin }) => plugin === undefined);
  const sections = [...Map.groupBy(own, ({ path }) => sectionOf(root, path))].map(([section, options]) => {
    const cells = options.map((row) => {
      const { option, reload } = optionAt(root, row.path);
      return [...cellsOf(row, option), reload ? 'yes' : 'no', meaningOf(row, option)];
    });
    return `## ${section}\n\n${tableOf(['option', 'type', 'default', 'SIGHUP', 'meaning'], cells)}`;
  });
  const others = plugins.map(({ name, kind, config }) => {
    const options = rows.filter(({ plugin }) => plugin === name);
    const schema: OptionSchema = { type: 'object', properties: config.properties };
    const cells = options.map((row) => {
      const { option } = optionAt(schema, row.path);
      return [...cellsOf(row, option), meaningOf(row, option)];
    });
    const table = cells.length === 0 ? 'It has no options.' : tableOf(['option', 'type', 'default', 'meaning'], cells);
    return `### ${name}\n\nA plugin of the kind \`${kind}\`.\n\n${table}`;
  });
  return `${[head, ...sections, '## Plugins', pluginsText, ...others].join('\n\n')}\n`;
}

const pluginsText =
  'The options under `with` of a mount. Of `providers`, `router`, `authenticators`, `tools`, `secrets` and `executor`, a change is taken over at\nSIGHUP; of others it takes a restart.';

function sectionOf(root: OptionSchema, path: string): string {
  const [name = ''] = path.split('.');
  const option = root.properties?.[name];
  const isMount = Object.hasOwn(option?.properties ?? option?.additionalProperties?.valueOf() ?? {}, 'use');
  if (isMount || ['providers', 'authenticators', 'tools'].includes(name) || 'use' in (option?.properties ?? {}))
    return 'Mounts';
  return option?.properties || option?.additionalProperties ? name : 'The file';
}

function cellsOf({ path, type, default: standard }: OptionRow, option: OptionSchema): readonly string[] {
  const entries =
    option.type === 'array' && option.items ? `array of ${[option.items.type].flat().join(' or ')}` : 'array';
  return [
    `\`${path}\``,
    type.replace(/^array\b/, entries),
    standard === undefined ? '' : `\`${JSON.stringify(standard)}\``,
  ];
}

function meaningOf({ description }: OptionRow, option: OptionSchema): string {
  const bounds = boundsOf({ ...option } as Parameters<typeof boundsOf>[0]).filter((text) => text !== 'Not empty.');
  return [/[.!?]$/.test(description) ? description : `${description}.`, ...bounds].join(' ');
}
