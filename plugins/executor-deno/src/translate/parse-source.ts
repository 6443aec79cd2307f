import { type Node, type OxcError, type Program, parseSync } from 'oxc-parser';

export type Language = 'js' | 'ts';

export interface ParsedSource {
  readonly language: Language;
  readonly program: Program;
}

export interface ParseFailure {
  readonly errors: readonly OxcError[];
}

/** JavaScript where it is JavaScript: `a < b > (c)` is a comparison there, and a call in TypeScript. */
export function parseSource(text: string): ParsedSource | ParseFailure {
  const script = parseAs('js', text);
  if ('program' in script) return script;
  const typed = parseAs('ts', text);
  if ('program' in typed) return typed;
  // The parser that got further understood more of what was meant.
  return firstOffset(typed) >= firstOffset(script) && typed.errors.length <= script.errors.length ? typed : script;
}

export function parseAs(language: Language, text: string): ParsedSource | ParseFailure {
  const { errors, program } = parseSync(`function.${language}`, text, {
    lang: language,
    sourceType: 'module',
    showSemanticErrors: true,
    preserveParens: false,
  });
  const fatal = errors.filter((error) => error.severity === 'Error');
  return fatal.length > 0 ? { errors: fatal } : { language, program };
}

const firstOffset = ({ errors }: ParseFailure): number => errors[0]?.labels[0]?.start ?? 0;

/** Every node of a syntax tree, without recursion: a tree may be as deep as its text is long. */
export function* nodesOf(program: Program): Generator<Node> {
  const open: object[] = [program];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (isNode(value)) yield value;
    for (const member of Object.values(value)) {
      if (typeof member === 'object' && member !== null && !(member instanceof RegExp)) open.push(member);
    }
  }
}

function isNode(value: object): value is Node {
  return 'type' in value && typeof value.type === 'string' && 'start' in value;
}
