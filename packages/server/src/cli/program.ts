import { readFileSync } from 'node:fs';
import { Argument, Command, Option } from 'commander';
import { actions } from './actions.ts';
import type { Action, CliContext } from './cli-context.ts';
import { describeCliFailure, exitCodes } from './cli-failure.ts';
import { type OptionValue, optionValues } from './options.ts';

const HELP_WIDTH = 120;
/** How many examples the help of a group shows. */
const GROUP_EXAMPLES = 2;

/** A command of `commands.json`, or a group of them. */
interface CommandEntry {
  readonly name: string;
  readonly description: string;
  readonly arguments?: readonly (Pick<OptionEntry, 'description' | 'choices' | 'default'> & {
    readonly name: string;
  })[];
  /** A string is the name of a set of options. */
  readonly options?: readonly (string | OptionEntry)[];
  /** Arguments after the name of the command in its example. */
  readonly example?: string;
  readonly commands?: readonly CommandEntry[];
  /** Used if a group is called with something other than the name of one of its commands. */
  readonly isDefault?: boolean;
}

interface OptionEntry {
  readonly flags: string;
  readonly description: string;
  /** Parser of its value. Default: the text unchanged. */
  readonly value?: OptionValue;
  readonly default?: unknown;
  readonly choices?: readonly string[];
  readonly required?: boolean;
  /** The option with which it cannot be combined. */
  readonly conflicts?: string;
}

interface CommandTable {
  readonly optionSets: Readonly<Record<string, readonly OptionEntry[]>>;
  readonly commands: readonly CommandEntry[];
  /** Lines that the help of `patchbay` ends with. */
  readonly help: readonly string[];
}

const { optionSets, commands, help } = readPackageFile('commands.json') as CommandTable;

/** Does the work of a command. */
type Perform = (path: string, options: object, given: readonly unknown[]) => Promise<void>;

/**
 * The command `patchbay` with all of its commands.
 *
 * @param options.hasDefault Whether `serve` is the default. @param options.json Whether failures are printed as JSON.
 */
export function createProgram(
  context: CliContext,
  onExit: (code: number) => void,
  { hasDefault = true, json = false }: { readonly hasDefault?: boolean; readonly json?: boolean } = {},
): Command {
  const perform: Perform = async (path, options, given) => {
    const action = (await actions[path]?.()) as Action<object, readonly unknown[]>;
    onExit((await action(context, options, ...given)) ?? exitCodes.ok);
  };
  const program = new Command('patchbay')
    .description('Typed functions and every language model behind one API. Without a command: start the server.')
    .version(version(), '-v, --version', 'Show the version')
    .helpOption('-h, --help', 'Show what a command does, and its options')
    .helpCommand('help [command]', 'Show what a command does, and its options')
    .configureOutput({
      getOutHelpWidth: () => HELP_WIDTH,
      getErrHelpWidth: () => HELP_WIDTH,
      writeOut: context.write,
      // With --json, errors are printed once, as JSON.
      writeErr: (text) => (json ? undefined : context.output.note(text.trimEnd())),
    })
    .configureHelp({ showGlobalOptions: false })
    .showSuggestionAfterError()
    .addHelpText('after', `\n${help.join('\n')}\n`)
    .exitOverride();
  for (const entry of commands) addCommand(program, entry, [], { perform, hasDefault });
  return program;
}

function addCommand(
  parent: Command,
  entry: CommandEntry,
  above: readonly string[],
  { perform, hasDefault }: { readonly perform: Perform; readonly hasDefault: boolean },
): void {
  const path = [...above, entry.name];
  const isDefault = entry.isDefault ?? (hasDefault && entry.name === 'serve');
  const command = parent.command(entry.name, { isDefault });
  command.description(entry.description);
  for (const { name, description, choices, default: standard } of entry.arguments ?? []) {
    const argument = new Argument(name, description).default(standard);
    command.addArgument(choices ? argument.choices(choices) : argument);
  }
  const options = (entry.options ?? []).flatMap((each) => (typeof each === 'string' ? optionSets[each] : each));
  for (const option of options) if (option) command.addOption(commanderOption(option));
  const examples = examplesOf(entry, above).slice(0, GROUP_EXAMPLES);
  command.addHelpText('after', `\n${examples.length > 1 ? 'Examples' : 'Example'}:\n  ${examples.join('\n  ')}`);
  if (entry.commands === undefined) {
    // After the arguments, Commander gives the options and the command itself.
    command.action((...given: unknown[]) => perform(path.join(' '), given.at(-2) as object, given.slice(0, -2)));
  }
  for (const each of entry.commands ?? []) addCommand(command, each, path, { perform, hasDefault: false });
}

function commanderOption(entry: OptionEntry): Option {
  const { flags, description, value, choices, required = false, conflicts = [] } = entry;
  const option = new Option(flags, description).default(entry.default).makeOptionMandatory(required);
  option.conflicts(conflicts);
  if (choices) return option.choices(choices);
  return value ? option.argParser(optionValues[value] as (text: string, before: unknown) => unknown) : option;
}

/** The example of a command, such as `patchbay keys list --tenant acme`; of a group, those of its commands. */
function examplesOf(entry: CommandEntry, above: readonly string[]): readonly string[] {
  const path = [...above, entry.name];
  if (entry.commands) return entry.commands.flatMap((each) => examplesOf(each, path));
  return entry.example === undefined ? [] : [['patchbay', ...path, entry.example].join(' ')];
}

/** @param path Such as `keys list`. */
export function exampleOf(path: string): string | undefined {
  const all = commands.flatMap((entry) => examplesOf(entry, []));
  return all.find((example) => example.startsWith(`patchbay ${path} `));
}

function version(): string {
  return (readPackageFile('package.json') as { readonly version: string }).version;
}

function readPackageFile(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'));
}

/** Run a command line. Returns the exit code; throws nothing. */
export async function runCommandLine(args: readonly string[], context: CliContext): Promise<number> {
  let exitCode: number = exitCodes.ok;
  const json = args.includes('--json');
  const onExit = (code: number): void => {
    exitCode = code;
  };
  // A word that is not a command is a misspelt one, not an argument of the default command.
  const program = createProgram(context, onExit, { hasDefault: args[0]?.startsWith('-') ?? true, json });
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    const { text, error: document, exitCode: failed } = describeCliFailure(error, context.command);
    if (json && failed !== exitCodes.ok) {
      context.output.note(JSON.stringify({ error: { ...document, exitCode: failed } }));
    } else if (text !== '') context.output.note(`patchbay: ${text}`);
    return failed;
  }
  return exitCode;
}
