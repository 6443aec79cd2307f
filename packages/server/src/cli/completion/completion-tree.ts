import type { Command, Option } from 'commander';

/** A place on a command line: the words of the commands so far, and what may come next. */
export interface CompletionPlace {
  /** Such as `patchbay functions push`. */
  readonly path: string;
  readonly commands: readonly CompletionWord[];
  readonly options: readonly CompletionOption[];
  /** Values of the first argument, where they are known. */
  readonly values: readonly string[];
}

export interface CompletionWord {
  readonly name: string;
  readonly description: string;
}

export interface CompletionOption extends CompletionWord {
  /** Such as `-c`. */
  readonly short: string | undefined;
  readonly takesValue: boolean;
  /** What the value may be, where that is known. */
  readonly values: readonly string[];
  readonly takes: 'file' | 'folder' | undefined;
}

/** Every place of a program: what completions are made of, whatever the shell. */
export function completionTree(program: Command): readonly CompletionPlace[] {
  const places: CompletionPlace[] = [];
  const visit = (command: Command, path: string): void => {
    const help = command.createHelp();
    const commands = help
      .visibleCommands(command)
      .map((each) => ({ name: each.name(), description: each.description() }));
    const isDefault = command.parent === null ? defaultOf(command) : undefined;
    // Without a command, the options of the default one are meant.
    const options = [...help.visibleOptions(command), ...(isDefault ? help.visibleOptions(isDefault) : [])];
    const values = command.registeredArguments[0]?.argChoices ?? [];
    places.push({ path, commands, options: options.flatMap(optionOf).filter(isFirst), values });
    for (const each of command.commands) if (each.name() !== 'help') visit(each, `${path} ${each.name()}`);
  };
  visit(program, program.name());
  return places;
}

function defaultOf(command: Command): Command | undefined {
  const { _defaultCommandName: name } = command as unknown as { readonly _defaultCommandName?: string };
  return command.commands.find((each) => each.name() === name);
}

function optionOf(option: Option): readonly CompletionOption[] {
  if (!option.long) return [];
  const { long, short, description, argChoices = [], required, optional, flags } = option;
  const takes = /<(file)>/.test(flags) ? 'file' : /<(folder)>/.test(flags) ? 'folder' : undefined;
  return [{ name: long, short, description, takesValue: required || optional, values: argChoices, takes }];
}

function isFirst({ name }: CompletionWord, index: number, all: readonly CompletionWord[]): boolean {
  return all.findIndex((each) => each.name === name) === index;
}
