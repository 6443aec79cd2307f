import type { Command } from 'commander';
import { exampleOf } from './command-examples.ts';

const intro = `# The command \`patchbay\`

<!-- Written by command-page.test.ts from the commands themselves: \`vitest run command-page -u\` writes it again. -->

In a clone of the repository it is \`npx patchbay\`, which runs on the Node that the clone brings; elsewhere,
\`node_modules/.bin/patchbay\` of the clone.

\`patchbay\` without a command starts the server. What talks to a server (\`functions\`, \`models\`, \`chat\`, \`embed\`, \`usage\`,
\`openapi\`, \`webhooks\`) finds it by \`PATCHBAY_URL\` and \`PATCHBAY_API_KEY\`, or \`--url\` and \`--api-key\`; other users of a machine can see
what is on a command line, so prefer the variable. Where no URL is given, a server that \`patchbay dev\` runs in the same folder is
found by itself, with its key. What works on the config (\`keys\`, \`audit\`, \`secrets\`, \`types\`, \`config\`,
\`migrate\`, \`export\`, \`import\`, \`backup\`, \`restore\`, \`doctor\`) needs no server, and may run beside one.

Results go to standard output, everything for people to standard error. Nothing is asked where standard input is no
terminal. With \`--json\`, results are JSON, one document to a line, and so is a failure, on standard error:
\`{"error":{…the problem document…,"exitCode":4}}\`. There are no colors but in questions and in
the log of \`dev\`, at a terminal and without \`NO_COLOR\`. What cannot be taken back (\`delete\`, \`revoke\`) is asked about, and needs
\`--yes\` where there is no terminal.

| exit code | meaning                                          |
| --------- | ------------------------------------------------ |
| 0         | done                                             |
| 1         | the command failed, or a check found problems    |
| 2         | invalid command line or function file            |
| 3         | missing or invalid key, or missing scope         |
| 4         | not found                                        |
| 5         | local and remote state differ                    |
| 78        | invalid config: a restart will not help          |
| 130       | Ctrl-C; a server shuts down gracefully with 0    |
| 141       | standard output was closed, as by a pipe to head |

## Functions as files

A folder for each function, below \`functions\` (\`--dir\` for another place), named by its key:

\`\`\`
functions/summarizeText/
  function.yaml   name, description, input, output, settings
  code.ts         or code.js; absent where a model does the work
  prompt.md       the prompt of the settings, where it is long
  tests.yaml      optional
\`\`\`

\`push\` finds the function on the server by its name, creates it or replaces it in one request with \`If-Match\`, and stores
settings with it. What is the same is not written. \`functions/.patchbay\`, which belongs to one checkout and not into git,
remembers what was synced last: so \`push\` leaves a function alone that somebody has changed on the server since, and \`pull\`
one that was changed here. Both say so, and end with 5; \`--force\` overwrites. A fresh checkout remembers nothing: there, \`push\`
only sees changes that come between its reading and its writing. \`push\` deletes no function. Faults are told with the place in
these files, \`functions/summarizeText/code.ts:2:9\`.

\`test\` runs the code of the folder in the jail of the server, without storing it. Comments of \`function.yaml\` are lost when
\`pull\` writes it.

\`\`\`yaml
tests:
  - name: takes as many sentences as it is told
    input: { text: "One. Two! Three?", maxPoints: 2 }
    output: { points: [One., Two!] } # exactly this; or contains: what it has at least
  - name: needs a text
    input: {}
    error: input_invalid # the code of the failure
\`\`\`
`;

/** The reference page of a program: every command with its arguments and options. */
export function commandPage(program: Command): string {
  return `${[intro, '## Commands\n', ...sectionsOf(program, program.name())].join('\n')}`;
}

function sectionsOf(command: Command, path: string): readonly string[] {
  return command.commands
    .filter((each) => each.name() !== 'help')
    .flatMap((each) => {
      const own = `${path} ${each.name()}`;
      return each.commands.length > 0 ? sectionsOf(each, own) : [sectionOf(each, own)];
    });
}

function sectionOf(command: Command, path: string): string {
  const usage = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  const rows = [
    ...command.registeredArguments.map((argument, index) => [usage[index] ?? '', argument.description]),
    ...command.options.map(({ flags, description, defaultValue }) => {
      const standard = defaultValue === undefined || defaultValue === true ? '' : ` Default: ${String(defaultValue)}`;
      return [flags, `${description}${standard === '' || /[.]$/.test(description) ? '' : '.'}${standard}`];
    }),
  ];
  const example = exampleOf(path.replace(/^patchbay /, ''));
  const shown = example === undefined ? '' : `\nExample: \`${example}\`\n`;
  const title = `### \`${[path, ...usage].join(' ')}\`\n\n${command.description()}.\n${shown}`;
  return rows.length === 0 ? title : `${title}\n${tableOf(rows)}\n`;
}

function tableOf(rows: readonly (readonly string[])[]): string {
  const cells = rows.map(
    ([name = '', meaning = '']) => [`\`${name.replaceAll('|', '\\|')}\``, meaning.replaceAll('<', '\\<')] as const,
  );
  const width = (column: 0 | 1) => Math.max(...cells.map((row) => row[column].length), 7);
  const line = (row: readonly [string, string]) => `| ${row[0].padEnd(width(0))} | ${row[1].padEnd(width(1))} |`;
  const rule = `| ${'-'.repeat(width(0))} | ${'-'.repeat(width(1))} |`;
  return [line(['', 'meaning']), rule, ...cells.map(line)].join('\n');
}
