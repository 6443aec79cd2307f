import type { CompletionPlace, CompletionWord } from './completion-tree.ts';

/** Completion for zsh, with descriptions. Files are completed where nothing else fits. */
export function zshCompletion(places: readonly CompletionPlace[]): string {
  const program = places[0]?.path ?? '';
  const commands = places.slice(1).map(({ path }) => quoted(path));
  const valued = places.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(({ name, short, values, takes }) => {
        const pattern = [name, ...(short ? [short] : [])].map((flag) => quoted(`${path} ${flag}`)).join('|');
        const files = takes === 'folder' ? '_files -/' : takes === 'file' ? '_files' : '';
        const reply = values.length > 0 ? `compadd -- ${values.map(quoted).join(' ')}` : files;
        return `    ${pattern}) ${reply ? `${reply}; ` : ''}return ;;`;
      }),
  );
  const found = places.map(({ path, commands: next, options, values }) => {
    const known = values.map((name) => ({ name, description: '' }));
    return `    ${quoted(path)}) commands=(${[...next, ...known].map(described).join(' ')}) options=(${options.map(described).join(' ')}) ;;`;
  });
  return `#compdef ${program}
# Completion of ${program} for zsh: eval "$(${program} completion zsh)" after compinit, or this in a file _${program} of $fpath.
_${program}() {
  local place=${program} word
  local -a commands options
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$place $word" in
      ${commands.join('|')}) place="$place $word" ;;
    esac
  done
  case "$place \${words[CURRENT-1]}" in
${valued.join('\n')}
  esac
  case "$place" in
${found.join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then
    _describe -o option options
  elif (( $#commands )); then
    _describe command commands
  else
    _files
  fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _${program} "$@"
else
  compdef _${program} ${program}
fi
`;
}

function described({ name, description }: CompletionWord): string {
  const text = name.replaceAll(':', '\\:');
  return quoted(description === '' ? text : `${text}:${description}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
