/** A template of MiniJinja as a prompt of Patchbay. */
export interface Translation {
  readonly text: string;
  /** The first parts of the names in it: `user` for `{{ user.name }}`. */
  readonly variables: readonly string[];
}

/** A part of a template that no prompt can express. */
export class TemplateFault extends Error {
  override readonly name = 'TemplateFault';
}

export interface TemplateFile {
  /** Its name in reported positions. */
  readonly name: string;
  readonly text: string;
}

const closers: Readonly<Record<string, string>> = { '{': '}}', '%': '%}', '#': '#}' };
const path = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/;
const include = /^include\s+(['"])(?<name>[^'"]+)\1$/;

/**
 * Translate what a prompt can express: names, which are members of the input, comments, raw text and included files.
 *
 * @param read Reads an included file. Undefined: the configuration does not allow them.
 * @throws TemplateFault with the position of the first part that has no counterpart, such as a loop or a filter.
 */
export async function translateTemplate(
  file: TemplateFile,
  read: ((name: string) => Promise<TemplateFile>) | undefined,
): Promise<Translation> {
  // MiniJinja strips the last line end.
  const source = file.text.replace(/\r?\n$/, '');
  const variables = new Set<string>();
  let text = '';
  let position = 0;
  let isTrimming = false;
  const faultAt = (offset: number, reason: string): TemplateFault => {
    const lines = source.slice(0, offset).split('\n');
    return new TemplateFault(`${file.name}:${lines.length}:${(lines.at(-1) ?? '').length + 1} ${reason}`);
  };
  /** Add text of the template, without the white space that the preceding tag strips. */
  const add = (piece: string): void => {
    text += isTrimming ? piece.trimStart() : piece;
  };
  /** The next tag, after the text before it was added. */
  const nextTag = () => {
    const start = source.slice(position).search(/\{[{%#]/) + position;
    if (start < position) return undefined;
    const kind = source.charAt(start + 1);
    const end = source.indexOf(closers[kind] ?? '', start + 2);
    if (end < 0) throw faultAt(start, 'a tag that is not closed');
    const inner = source.slice(start + 2, end);
    add(source.slice(position, start));
    if (inner.startsWith('-')) text = text.trimEnd();
    position = end + 2;
    isTrimming = inner.endsWith('-');
    return { start, kind, tag: source.slice(start, position), content: inner.replaceAll(/^[-+]|[-+]$/g, '').trim() };
  };

  for (let found = nextTag(); found !== undefined; found = nextTag()) {
    const { start, kind, tag, content } = found;
    const included = include.exec(content)?.groups?.['name'];
    if (kind === '#') continue;
    if (kind === '{') {
      if (!path.test(content)) throw faultAt(start, `a prompt has no expressions: ${tag}`);
      variables.add(content.replace(/\..*/, ''));
      text += `{{input.${content}}}`;
    } else if (included !== undefined) {
      if (read === undefined) throw faultAt(start, `gateway.template_filesystem_access does not allow ${tag}`);
      const inner = await translateTemplate(await read(included), read);
      for (const variable of inner.variables) variables.add(variable);
      text += inner.text;
    } else if (content === 'raw') {
      const [close] = /\{%[-+]?\s*endraw\s*[-+]?%\}/.exec(source.slice(position)) ?? [];
      const end = close === undefined ? source.length : source.indexOf(close, position);
      const literal = source.slice(position, end);
      if (/\{\{[^{}]*\}\}/.test(literal)) throw faultAt(start, 'a prompt cannot have {{…}} in its text');
      add(close?.startsWith('{%-') ? literal.trimEnd() : literal);
      position = end + (close ?? '').length;
      isTrimming = close?.endsWith('-%}') ?? false;
    } else throw faultAt(start, `a prompt has no statements: ${tag}`);
  }
  add(source.slice(position));
  return { text, variables: [...variables] };
}
