import type { RuntimeItem, RuntimeSection } from './runtime-items.ts';

/** Its value as JSON, or the name of its error. */
export interface Attempt extends RuntimeItem {
  readonly value?: string;
  readonly error?: string;
}

export interface RuntimeResults {
  readonly sections: readonly (Omit<RuntimeSection, 'items'> & { readonly items: readonly Attempt[] })[];
  readonly sources: readonly Attempt[];
  /** Modules of Node.js that a bundle can import. */
  readonly modules: readonly string[];
  readonly otherModules: readonly string[];
  readonly globals: readonly string[];
}

const head = `# Runtime

The code of a function is a JavaScript module that runs in [Deno](https://deno.com), in a process with no permissions and without most
of Deno's own interface. This page is written by a test that tries each example in that process: the third column is its value,
or the name of the error. Forms of functions are in the [guide](../guide/functions.md), what surrounds the process in the
[security model](../security-model.md).
`;

/** The page docs/reference/runtime.md. */
export function runtimePage({ sections, sources, modules, otherModules, globals }: RuntimeResults): string {
  return `${[
    head,
    ...sections.map(
      ({ title, text, items }) => `## ${title}\n\n${text === undefined ? '' : `${text}\n\n`}${table(items)}\n`,
    ),
    `## Forms of code\n\nSources are checked when a function is saved; the error is the code of the fault. The operator can allow packages in the\noptions of the [executor](../../plugins/executor-deno/README.md#imports).\n\n${table(sources)}\n`,
    `## Modules of Node.js\n\nA function that is sent as a [bundle](../guide/functions.md) can import these:\n\n${list(modules)}\n\nOthers are refused when it is saved, among them ${list(otherModules)}.\n`,
    `## Globals\n\nAll global names that functions have:\n\n${list(globals)}\n`,
  ].join('\n')}`;
}

const list = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

function table(items: readonly Attempt[]): string {
  const rows = items.map(({ name, example, value, error }) => [
    cell(name),
    `\`${cell(example.replaceAll('\n', ' '))}\``,
    error === undefined ? `\`${cell(value ?? '')}\`` : `**no**: \`${cell(error)}\``,
  ]);
  const header = ['name', 'example', 'result'];
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map((row) => length(row[column] ?? ''))));
  const line = (row: readonly string[]): string =>
    `| ${row.map((text, column) => text + ' '.repeat((widths[column] ?? 0) - length(text))).join(' | ')} |`;
  return [line(header), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)].join('\n');
}

const cell = (text: string): string => text.replaceAll('|', '\\|');
const length = (text: string): number => Array.from(text).length;
