import type { CompletionPlace } from './completion-tree.ts';

/** Completion for fish, with descriptions. */
export function fishCompletion(places: readonly CompletionPlace[]): string {
  const program = places[0]?.path ?? '';
  const commands = places.slice(1).map(({ path }) => quoted(path));
  const lines = places.flatMap(({ path, commands: next, options, values }) => {
    const at = `complete -c ${program} -n ${quoted(`__${program}_is_at ${quoted(path)}`)}`;
    return [
      ...next.map(({ name, description }) => `${at} -f -a ${quoted(name)} -d ${quoted(description)}`),
      ...(values.length > 0 ? [`${at} -f -a ${quoted(values.join(' '))}`] : []),
      ...options.map(({ name, short, description, takesValue, values: choices, takes }) => {
        const flags = `-l ${name.slice(2)}${short ? ` -s ${short.slice(1)}` : ''}`;
        const files = takes === 'folder' ? " -a '(__fish_complete_directories)'" : takes === 'file' ? ' -F' : ' -f';
        const value = choices.length > 0 ? ` -f -a ${quoted(choices.join(' '))}` : files;
        return `${at} ${flags}${takesValue ? ` -r${value}` : ''} -d ${quoted(description)}`;
      }),
    ];
  });
  return `# Completion of ${program} for fish: ${program} completion fish > ~/.config/fish/completions/${program}.fish
function __${program}_is_at
    set -l place ${program}
    for word in (commandline -opc)[2..-1]
        if contains -- "$place $word" ${commands.join(' ')}
            set place "$place $word"
        end
    end
    test "$place" = "$argv[1]"
end
${lines.join('\n')}
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
