import { codeBlocks } from './code-blocks.ts';

/** A command line that a page shows, without `npx`. */
export interface DocumentedCommand {
  /** The words after `patchbay`, as a shell splits them. */
  readonly words: readonly string[];
  /** Only its name is mentioned in a sentence, perhaps that of a group, and nothing need follow it. */
  readonly isMention: boolean;
  /** `file:line`. */
  readonly place: string;
}

/** The commands `patchbay …` of a page: those between backticks, and lines of its shell blocks that begin with one. */
export function documentedCommands(file: string, text: string): readonly DocumentedCommand[] {
  let isInBlock = false;
  const inline = text.split('\n').flatMap((line, index): DocumentedCommand[] => {
    if (/^\s*```/.test(line)) isInBlock = !isInBlock;
    const found = isInBlock ? [] : [...line.matchAll(/(?<!`)`(?:npx )?patchbay( [^`]+)`(?!`)/g)];
    return found.map(([, rest = '']) => {
      const words = wordsOf(rest);
      const isMention = words.every((word) => /^[a-z-]+$/.test(word) && !word.startsWith('-'));
      return { words, isMention, place: `${file}:${index + 1}` };
    });
  });
  const shells = codeBlocks(file, text).filter(({ language }) => language === 'sh');
  const lines = shells.flatMap(({ code, place }) => {
    const first = Number(place.slice(place.lastIndexOf(':') + 1));
    return code
      .replaceAll('\\\n', '  ')
      .split('\n')
      .flatMap((line, index): DocumentedCommand[] => {
        const [, rest] = /^\s*(?:\w+=\S* )*(?:npx )?patchbay(?= |$)(.*)$/.exec(line) ?? [];
        if (rest === undefined) return [];
        return [{ words: wordsOf(rest), isMention: false, place: `${file}:${first + index}` }];
      });
  });
  return [...inline, ...lines];
}

/** Up to what the shell itself acts on: a comment, a redirection, a pipe or another command. */
function wordsOf(text: string): readonly string[] {
  const words: string[] = [];
  for (const [word] of text.matchAll(/[|&;]|\d?>|<(?![\w-]+>)|(?:'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"|&;])+/g)) {
    if (/^(#|[|&;<]$|\d?>)/.test(word)) break;
    words.push(word.replaceAll(/'([^']*)'|"((?:\\.|[^"\\])*)"/g, (_, plain, quoted) => plain ?? quoted));
  }
  return words;
}
