import type { Range } from './pattern.ts';

const digits: readonly Range[] = [[48, 57]];
const letters: readonly Range[] = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
];
const spaces: readonly Range[] = [
  [9, 10],
  [12, 13],
  [32, 32],
];

/** The sets that a backslash and a letter stand for. */
export const namedSets: ReadonlyMap<string, { readonly ranges: readonly Range[]; readonly negated: boolean }> = new Map(
  [
    ['d', { ranges: digits, negated: false }],
    ['D', { ranges: digits, negated: true }],
    ['w', { ranges: letters, negated: false }],
    ['W', { ranges: letters, negated: true }],
    ['s', { ranges: spaces, negated: false }],
    ['S', { ranges: spaces, negated: true }],
  ],
);

const controls: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['f', '\f'],
  ['v', '\v'],
]);

/** The character that a backslash and another one stand for; undefined where that is no single character. */
export function escapedCharacter(character: string | undefined): string | undefined {
  if (character === undefined) return undefined;
  return controls.get(character) ?? (/[\p{L}\p{N}]/u.test(character) ? undefined : character);
}

/**
 * A set in brackets, of which `at` is the place behind the opening one.
 *
 * @returns undefined where it uses what is not known here
 */
export function parseClass(
  source: readonly string[],
  at: number,
): { readonly ranges: readonly Range[]; readonly negated: boolean; readonly next: number } | undefined {
  const negated = source[at] === '^';
  const first = negated ? at + 1 : at;
  const ranges: Range[] = [];
  let place = first;
  while (source[place] !== ']' || place === first) {
    const item = parseItem(source, place);
    if (!item) return undefined;
    place = item.next;
    if (item.ranges) {
      ranges.push(...item.ranges);
      continue;
    }
    let last = item.character;
    if (source[place] === '-' && source[place + 1] !== ']') {
      const end = parseItem(source, place + 1);
      if (!end || end.ranges) return undefined;
      last = end.character;
      place = end.next;
    }
    ranges.push([codePoint(item.character), codePoint(last)]);
  }
  return { ranges, negated, next: place + 1 };
}

type Item =
  | { readonly ranges: readonly Range[]; readonly next: number }
  | { readonly ranges?: undefined; readonly character: string; readonly next: number };

function parseItem(source: readonly string[], at: number): Item | undefined {
  const character = source[at];
  if (character === undefined || (character === '[' && source[at + 1] === ':')) return undefined;
  if (character !== '\\') return { character, next: at + 1 };
  const named = namedSets.get(source[at + 1] ?? '');
  if (named) return named.negated ? undefined : { ranges: named.ranges, next: at + 2 };
  const escaped = escapedCharacter(source[at + 1]);
  return escaped === undefined ? undefined : { character: escaped, next: at + 2 };
}

function codePoint(character: string): number {
  return character.codePointAt(0) as number;
}
