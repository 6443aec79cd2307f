import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import type { CliContext } from './cli-context.ts';
import { describeCliFailure, exitCodes } from './cli-failure.ts';
import { addFunctionCommands } from './function-commands.ts';
import { addOperatorCommands } from './operator-commands.ts';
import { addPluginCommands } from './plugin-commands.ts';
import { addAreaCommands, addModelCommands } from './remote-commands.ts';
import { addServerCommands } from './server-commands.ts';
import { addStorageCommands } from './storage-commands.ts';
import { addWebhookCommands } from './webhook-commands.ts';

const HELP_WIDTH = 120;

/** Has an action say how the command ends. */
export type Run = (work: () => Promise<number>) => Promise<void>;

const environment = `
Environment:
  HOST, PORT               Where to listen; override the config. Default: 127.0.0.1 and 4810
  PATCHBAY_CONFIG          Config file, where --config names none
  PATCHBAY_DATA            Folder for the database and the secret, with the built-in defaults. Default: ./data
  PATCHBAY_BOOTSTRAP_KEY   Admin key of at least 32 characters, used instead of one that is made at the first start
  PATCHBAY_URL             Server that commands talk to. Default: http://127.0.0.1:4810
  PATCHBAY_API_KEY         Key that they show it

Exit codes: 0 done, 1 failed, 2 wrong command line, 3 no access, 4 not found, 5 differs, 78 wrong config
`;

/**
 * The command `patchbay` with all of its commands. What does their work is imported when it is needed.
 *
 * @param options.hasDefault Whether no command is `serve`. @param options.json Whether failures are told as JSON.
 */
export function createProgram(
  context: CliContext,
  onExit: (code: number) => void,
  { hasDefault = true, json = false }: { readonly hasDefault?: boolean; readonly json?: boolean } = {},
): Command {
  const run: Run = async (work) => onExit(await work());
  const program = new Command('patchbay')
    .description('Typed functions and every language model behind one API. Without a command: start the server.')
    .version(version(), '-v, --version', 'Show the version')
    .helpOption('-h, --help', 'Show what a command does, and its options')
    .helpCommand('help [command]', 'Show what a command does, and its options')
    .configureOutput({
      getOutHelpWidth: () => HELP_WIDTH,
      getErrHelpWidth: () => HELP_WIDTH,
      writeOut: context.write,
      // With --json, what is wrong is told once, as JSON.
      writeErr: (text) => (json ? undefined : context.output.note(text.trimEnd())),
    })
    .configureHelp({ showGlobalOptions: false })
    .showSuggestionAfterError()
    .addHelpText('after', environment)
    .exitOverride();
  addServerCommands(program, context, run, hasDefault);
  addFunctionCommands(program, context, run);
  addModelCommands(program, context, run);
  addAreaCommands(program, context, run);
  addWebhookCommands(program, context, run);
  addOperatorCommands(program, context, run);
  addStorageCommands(program, context, run);
  addPluginCommands(program, context, run);
  addExamples(program);
  return program;
}

/** The example of a command, such as `patchbay keys list --tenant acme`. */
export function exampleOf(path: string, examples = readExamples()): string | undefined {
  const parameters = examples[path];
  return parameters === undefined ? undefined : `patchbay ${path} ${parameters}`;
}

function readExamples(): Readonly<Record<string, string>> {
  return readPackageFile('command-examples.json') as Record<string, string>;
}

/** Append its example to the help of every command that does something itself. */
function addExamples(command: Command, examples = readExamples(), path: readonly string[] = []): void {
  for (const each of command.commands) {
    const own = [...path, each.name()];
    if (each.commands.length > 0) addExamples(each, examples, own);
    const example = exampleOf(own.join(' '), examples);
    if (example !== undefined) each.addHelpText('after', `\nExample:\n  ${example}`);
  }
}

function version(): string {
  return (readPackageFile('package.json') as { readonly version: string }).version;
}

function readPackageFile(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'));
}

/** Do what a command line asks for. The exit code; nothing is thrown. */
export async function runCommandLine(args: readonly string[], context: CliContext): Promise<number> {
  let exitCode: number = exitCodes.ok;
  const json = args.includes('--json');
  const onExit = (code: number): void => {
    exitCode = code;
  };
  // A word that is no command is one that was misspelt, and no argument of the default command.
  const program = createProgram(context, onExit, { hasDefault: args[0]?.startsWith('-') ?? true, json });
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    const { text, error: document, exitCode: failed } = await describeCliFailure(error, context.command);
    if (json && failed !== exitCodes.ok) {
      context.output.note(JSON.stringify({ error: { ...document, exitCode: failed } }));
    } else if (text !== '') context.output.note(`patchbay: ${text}`);
    return failed;
  }
  return exitCode;
}
