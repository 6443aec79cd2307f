export interface CodeBlock {
  readonly language: string;
  /** The word after the language, such as `wrong` for an example that is rejected. */
  readonly mark: string;
  readonly code: string;
  /** `file:line` of the first line of code. */
  readonly place: string;
}

/** The fenced code blocks of a Markdown file, or of the doc comments of a source file. */
export function codeBlocks(file: string, text: string): readonly CodeBlock[] {
  const isSource = file.endsWith('.ts');
  const blocks: CodeBlock[] = [];
  let open: { language: string; mark: string; lines: string[]; line: number } | undefined;
  for (const [index, raw] of text.split('\n').entries()) {
    const line = isSource ? raw.replace(/^\s*\* ?/, '') : raw;
    const fence = /^\s*```(\w*) ?(.*)/.exec(line);
    if (!fence) open?.lines.push(line);
    else if (open) {
      const { language, mark, lines, line: first } = open;
      blocks.push({ language, mark, code: lines.join('\n'), place: `${file}:${first}` });
      open = undefined;
    } else if (!isSource || /^\s*\*/.test(raw)) {
      open = { language: fence[1] ?? '', mark: fence[2] ?? '', lines: [], line: index + 2 };
    }
  }
  return blocks;
}
