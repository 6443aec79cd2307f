import { hasCodePoint, type Pattern } from './pattern.ts';

const extraRepeats = [0, 1, 2, 4, 8, 16, 32, 64, 128, 256];
const MAX_LENGTH = 1_000;
const MAX_OPTIONS = 8;

/**
 * Texts that match a pattern, or nearly: the shortest first, then longer ones, then those of the other options. Anchors
 * in the middle are not looked at, so that each has to be checked.
 */
export function* samplesOf(pattern: Pattern): Iterable<string> {
  for (const option of Array.from({ length: Math.min(mostOptions(pattern), MAX_OPTIONS) }, (_, index) => index)) {
    let before: string | undefined;
    for (const extra of extraRepeats) {
      const text = sample(pattern, option, extra);
      if (text === undefined || text.length > MAX_LENGTH || text === before) break;
      yield text;
      before = text;
    }
  }
}

function mostOptions(pattern: Pattern): number {
  if (pattern.kind === 'sequence') return Math.max(1, ...pattern.parts.map(mostOptions));
  if (pattern.kind === 'choice') return Math.max(pattern.options.length, ...pattern.options.map(mostOptions));
  return pattern.kind === 'repeat' ? mostOptions(pattern.part) : 1;
}

function sample(pattern: Pattern, option: number, extra: number): string | undefined {
  switch (pattern.kind) {
    case 'set':
      return characterOf(pattern);
    case 'choice':
      return sample(pattern.options[Math.min(option, pattern.options.length - 1)] as Pattern, option, extra);
    case 'sequence':
      return joined(pattern.parts.map((part) => sample(part, option, extra)));
    case 'repeat': {
      const times = Math.min(pattern.max, pattern.min + extra);
      if (times === 0) return '';
      const part = sample(pattern.part, option, extra);
      return part === undefined || part.length * times > MAX_LENGTH ? undefined : part.repeat(times);
    }
    default:
      return '';
  }
}

function joined(parts: readonly (string | undefined)[]): string | undefined {
  return parts.includes(undefined) ? undefined : parts.join('');
}

const preferred = Array.from('a0A-_. ', (character) => character.codePointAt(0) as number);
const printable = Array.from({ length: 95 }, (_, index) => 32 + index);

function characterOf(set: Extract<Pattern, { kind: 'set' }>): string | undefined {
  const inRanges = set.negated ? [] : set.ranges.map(([first]) => first);
  const found = [...preferred, ...printable, ...inRanges, 0xe4].find((codePoint) => hasCodePoint(set, codePoint));
  return found === undefined ? undefined : String.fromCodePoint(found);
}
