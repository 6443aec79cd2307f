import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Phrases that read like a translation, each with the usual ones. */
const phrases: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/^#+ What (?!to )/, 'a noun or a task as the heading, such as "Configuration"'],
  [/^\s*(\/\*\*|\*|\/\/) What (?!to )/, 'the thing itself, such as "The model of a request"'],
  [/\bnobody\b(?!\))/i, 'a passive, or the name of the caller, such as "no request"'],
  [/\b(taken|held) for dead\b/i, '"lease expired"'],
  [/\bleft alone\b/i, '"circuit open", "unchanged" or "skipped"'],
  [/\bon (the|its|their) way\b/i, '"in progress", "enqueued" or "pending"'],
  [/\b(is|are|was|were) told\b/i, '"receives", "is notified" or "is configured"'],
  [/\bnow and then\b/i, '"periodically" or "occasionally"'],
  [/\bgives? out first\b/i, '"bottleneck"'],
  [/\bof one['’]s own\b/i, '"custom" or "your own"'],
  [/\banew\b/i, '"again"'],
  [/\bsomebody\b|\bwhoever\b/i, 'a passive, or the name of the caller'],
  [/\bha(s|ve) to be\b/i, '"must be"'],
  [/\bat the same moment\b/i, '"at the same time" or "concurrently"'],
  [/\bnothing of\b/i, '"no", such as "contains no input"'],
  [/\bin turns\b/i, '"round-robin" or "alternately"'],
  [/\bof (its|their) own\b(?! \w)/i, '"separate", "dedicated" or "own", such as "its own process"'],
  [/\bgiven up\b/i, '"cancelled", "aborted" or "timed out"'],
  [/\bunder way\b/i, '"in progress", "running" or "pending"'],
];

/** Written pages. Generated parts, records and lists of decisions keep their wording. */
const pages = [
  '{README,CONTRIBUTING}.md',
  'docs/*.md',
  'docs/{guide,operate,plugins,recipes}/*.md',
  'docs/reference/{config,provider-failures}.md',
  '{packages,plugins,examples}/*/README.md',
  '{bench,deploy}/README.md',
];
/** Sources whose comments and test titles are searched. */
const sources = ['{packages,plugins,examples}/*/{src,hostile,scripts,templates}/**/*.ts', '{bench,scripts}/**/*.ts'];

/** Stilted phrases in the prose of a page, or in the comments and test titles of a source file: `file:line: phrase; write …`. */
export function stiltedPhrases(file: string, text: string): readonly string[] {
  const prose = file.endsWith('.md') ? withoutCode(text) : comments(text);
  return prose.split('\n').flatMap((line, index) =>
    phrases.flatMap(([pattern, instead]) => {
      const [phrase] = pattern.exec(line) ?? [];
      return phrase === undefined ? [] : [`${file}:${index + 1}: "${phrase.trim()}"; write ${instead}`];
    }),
  );
}

/** Stilted phrases in all pages and sources. */
export function stiltedPages(): readonly string[] {
  const exclude = (file: string) => /node_modules|stilted-phrases\.test\.ts$|\.generated\.ts$/.test(file);
  const files = globSync([...pages, ...sources], { cwd: root, exclude });
  return files.flatMap((file) => stiltedPhrases(file, readFileSync(join(root, file), 'utf8')));
}

function withoutCode(text: string): string {
  const blank = (part: string) => part.replaceAll(/[^\n]/g, '');
  return text
    .replaceAll(/^( *)```[\s\S]*?^\1```/gm, blank)
    .replaceAll(/<!-- begin [\s\S]*?<!-- end /g, blank)
    .replaceAll(/`[^`\n]*`/g, '``');
}

/** Doc comments, comments that fill a line, and titles of tests; all other lines are empty. */
function comments(text: string): string {
  let inside = false;
  return text
    .split('\n')
    .map((line) => {
      inside ||= /^\s*\/\*\*/.test(line);
      const kept = inside || /^\s*(\/\/|(it|describe)\()/.test(line) ? line : '';
      if (line.includes('*/')) inside = false;
      return kept;
    })
    .join('\n');
}
