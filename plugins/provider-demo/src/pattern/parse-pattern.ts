import { escapedCharacter, namedSets, parseClass } from './parse-class.ts';
import { parseQuantifier } from './parse-quantifier.ts';
import type { Pattern } from './pattern.ts';

/** A pattern that is larger with its counted repetitions written out is not followed. */
const MAX_SIZE = 1_000;

/**
 * Read a regular expression. Understands what JavaScript and RE2 write alike: literals, sets, groups, choices,
 * repetitions and the two anchors.
 *
 * @returns undefined where the pattern uses anything else, so that half a reading is never taken for the pattern
 */
export function parsePattern(text: string): Pattern | undefined {
  const source = Array.from(text);
  const found = parseChoice(source, 0);
  return found?.next === source.length && sizeOf(found.pattern) <= MAX_SIZE ? found.pattern : undefined;
}

interface Parsed {
  readonly pattern: Pattern;
  /** Place behind what was read. */
  readonly next: number;
}

type Source = readonly string[];

function parseChoice(source: Source, at: number): Parsed | undefined {
  const options: Pattern[] = [];
  let next = at - 1;
  do {
    const option = parseSequence(source, next + 1);
    if (!option) return undefined;
    options.push(option.pattern);
    next = option.next;
  } while (source[next] === '|');
  return { pattern: { kind: 'choice', options }, next };
}

function parseSequence(source: Source, at: number): Parsed | undefined {
  const parts: Pattern[] = [];
  let next = at;
  while (next < source.length && source[next] !== '|' && source[next] !== ')') {
    const part = parseRepetition(source, next);
    if (!part) return undefined;
    parts.push(part.pattern);
    next = part.next;
  }
  return { pattern: { kind: 'sequence', parts }, next };
}

function parseRepetition(source: Source, at: number): Parsed | undefined {
  const part = parseAtom(source, at);
  const counts = part && parseQuantifier(source, part.next);
  if (!part || counts === 'none') return part;
  if (counts === undefined || parseQuantifier(source, counts.next) !== 'none') return undefined;
  const { min, max, next } = counts;
  return { pattern: { kind: 'repeat', part: part.pattern, min, max }, next };
}

function parseAtom(source: Source, at: number): Parsed | undefined {
  const character = source[at] as string;
  const next = at + 1;
  if (character === '(') return parseGroup(source, next);
  if (character === '^') return { pattern: { kind: 'start' }, next };
  if (character === '$') return { pattern: { kind: 'end' }, next };
  if (character === '.') return { pattern: { kind: 'set', ranges: lineEnds, negated: true }, next };
  if (character === '\\') return parseEscape(source, next);
  if (character === '[') {
    const found = parseClass(source, next);
    return found && { pattern: { kind: 'set', ranges: found.ranges, negated: found.negated }, next: found.next };
  }
  return /^[*+?{}\]]$/.test(character) ? undefined : { pattern: literal(character), next };
}

function parseGroup(source: Source, at: number): Parsed | undefined {
  const opening = /^\?(?::|P?<[A-Za-z]\w*>)/.exec(source.slice(at, at + 64).join(''))?.[0] ?? '';
  // Any other group that begins with a question mark has none of its own before it, and so is not read as an atom.
  const inner = parseChoice(source, at + opening.length);
  return inner && source[inner.next] === ')' ? { pattern: inner.pattern, next: inner.next + 1 } : undefined;
}

function parseEscape(source: Source, at: number): Parsed | undefined {
  const named = namedSets.get(source[at] ?? '');
  if (named) return { pattern: { kind: 'set', ...named }, next: at + 1 };
  const character = escapedCharacter(source[at]);
  return character === undefined ? undefined : { pattern: literal(character), next: at + 1 };
}

/** How many steps the pattern has, with its counted repetitions written out. */
export function sizeOf(pattern: Pattern): number {
  if (pattern.kind === 'sequence') return pattern.parts.reduce((sum, part) => sum + sizeOf(part), 1);
  if (pattern.kind === 'choice') return pattern.options.reduce((sum, option) => sum + sizeOf(option), 1);
  if (pattern.kind !== 'repeat') return 1;
  const times = Number.isFinite(pattern.max) ? pattern.max : pattern.min;
  return sizeOf(pattern.part) * Math.max(1, times);
}

const lineEnds = [
  [10, 10],
  [13, 13],
  [0x2028, 0x2029],
] as const;

function literal(character: string): Pattern {
  const codePoint = character.codePointAt(0) as number;
  return { kind: 'set', ranges: [[codePoint, codePoint]], negated: false };
}
