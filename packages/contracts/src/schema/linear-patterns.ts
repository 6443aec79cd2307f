import { RE2JS } from 're2js';
import { patternSize } from './pattern-size.ts';
import { schemaLimits } from './schema-limits.ts';

/** Patterns that together are equivalent to one pattern, each in RE2 syntax. */
export interface LinearPatterns {
  readonly must: readonly string[];
  readonly mustNot: readonly string[];
}

/**
 * A pattern as patterns that match in linear time. RE2 has no look-ahead, but look-ahead at the beginning is a separate
 * condition: `^(?!a$)[a-z]+$` is `^[a-z]+$`, but not `^(?:a$)`.
 *
 * @returns A sentence on why it cannot be matched in linear time, if it cannot.
 */
export function linearPatterns(pattern: string): LinearPatterns | string {
  const known = generated.get(pattern);
  if (known !== undefined) return { must: [known], mustNot: [] };
  const fault = patternFault(pattern);
  if (fault === undefined) return { must: [pattern], mustNot: [] };
  const split = splitLookAhead(pattern);
  const parts = split && [...split.must, ...split.mustNot];
  return split && parts?.every((part) => patternFault(part) === undefined) ? split : fault;
}

/** Why RE2 does not accept a pattern. */
export function patternFault(pattern: string): string | undefined {
  if (pattern.length > schemaLimits.patternLength) return `must have at most ${schemaLimits.patternLength} characters`;
  // A bound first: compiling is what costs.
  if (patternSize(pattern) > 2 * schemaLimits.patternProgram) return 'is too complex';
  try {
    if (RE2JS.compile(pattern).programSize() <= schemaLimits.patternProgram) return undefined;
    return 'is too complex';
  } catch {
    return 'must be a regular expression in RE2 syntax, which has no look-around but at the beginning, and no back-references';
  }
}

function splitLookAhead(pattern: string): LinearPatterns | undefined {
  if (!/^\^\(\?[=!]/.test(pattern)) return undefined;
  const must: string[] = [];
  const mustNot: string[] = [];
  let rest = pattern.slice(1);
  while (/^\(\?[=!]/.test(rest)) {
    const end = endOfGroup(rest);
    if (end === undefined) return undefined;
    (rest[2] === '=' ? must : mustNot).push(`^(?:${rest.slice(3, end)})`);
    rest = rest.slice(end + 1);
  }
  // Alternatives at the top level: only the first would be anchored.
  return endOfGroup(`(${rest})`, true) === undefined ? undefined : { must: [`^${rest}`, ...must], mustNot };
}

/** Index of the bracket that closes the group at the beginning; undefined if it has alternatives but must not. */
function endOfGroup(text: string, isWithoutAlternatives = false): number | undefined {
  let depth = 0;
  let isInClass = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '\\') index += 1;
    else if (isInClass) isInClass = character !== ']';
    else if (character === '[') isInClass = true;
    else if (character === '(') depth += 1;
    else if (character === '|' && depth === 1 && isWithoutAlternatives) return undefined;
    else if (character === ')') {
      depth -= 1;
      if (depth === 0) return index;
    }
  }
  return undefined;
}

const day = '(?:0[1-9]|[12]\\d|3[01])';
const month = '(?:0[1-9]|1[0-2])';
const minute = '[0-5]\\d';
const week = '-?W(?:[0-4]\\d|5[0-3])(?:-?[1-7])?';
const dayOfYear = '-?(?:00[1-9]|0[1-9]\\d|[12]\\d{2}|3(?:[0-5]\\d|6[1-6]))';
const time =
  `T(?:(?:[01]\\d|2[0-3])(?::?${minute})?|24:?00)(?:[,.]\\d+)?(?::?${minute}(?:[,.]\\d+)?)?` +
  `(?:[Zz]|[+-](?:[01]\\d|2[0-3]):?(?:${minute})?)?`;

/** Patterns that generators write with back-references, and what they mean. */
const generated: ReadonlyMap<string, string> = new Map([
  [
    // ISO 8601, by ArkType.
    '^([+-]?\\d{4}(?!\\d{2}\\b))((-?)((0[1-9]|1[0-2])(\\3([12]\\d|0[1-9]|3[01]))?|W([0-4]\\d|5[0-3])(-?[1-7])?|' +
      '(00[1-9]|0[1-9]\\d|[12]\\d{2}|3([0-5]\\d|6[1-6])))(T((([01]\\d|2[0-3])((:?)[0-5]\\d)?|24:?00)([,.]\\d+(?!:))?)?' +
      '(\\17[0-5]\\d([,.]\\d+)?)?([Zz]|([+-])([01]\\d|2[0-3]):?([0-5]\\d)?)?)?)?$',
    `^[+-]?\\d{4}(?:(?:-${month}(?:-${day})?|${month}${day}|${week}|${dayOfYear})(?:${time})?)?$`,
  ],
]);
