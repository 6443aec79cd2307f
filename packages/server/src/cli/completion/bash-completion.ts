import type { CompletionPlace } from './completion-tree.ts';

/** Completion for bash. Files are completed where nothing else fits. */
export function bashCompletion(places: readonly CompletionPlace[]): string {
  const program = places[0]?.path ?? '';
  const commands = places.slice(1).map(({ path }) => `'${path}'`);
  const valued = places.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(({ name, short, values, takes }) => {
        const pattern = [name, ...(short ? [short] : [])].map((flag) => `'${path} ${flag}'`).join('|');
        const reply = values.length > 0 ? `-W '${values.join(' ')}'` : takes === 'folder' ? '-d' : '-f';
        // A value of any other kind is the person's own.
        const isKnown = values.length > 0 || takes !== undefined;
        return `    ${pattern}) ${isKnown ? `COMPREPLY=($(compgen ${reply} -- "$current")); ` : ''}return ;;`;
      }),
  );
  const words = places.map(({ path, commands: next, options, values }) => {
    const all = [...next.map(({ name }) => name), ...values, ...options.map(({ name }) => name)];
    return `    '${path}') words='${all.join(' ')}' ;;`;
  });
  return `# Completion of ${program} for bash: eval "$(${program} completion bash)", in ~/.bashrc for good.
_${program}() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} place=${program} words= index
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$place \${COMP_WORDS[index]}" in
      ${commands.join('|')}) place="$place \${COMP_WORDS[index]}" ;;
    esac
  done
  COMPREPLY=()
  case "$place $previous" in
${valued.join('\n')}
  esac
  case "$place" in
${words.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _${program} ${program}
`;
}
